/** Everything that needs the SDK. Static imports alone, so that a bundler leaves out what is not called. */
export { service as ec2 } from './ec2';
export { service as eks } from './eks';
export { service as iam } from './iam';
export { service as sts } from './sts';
