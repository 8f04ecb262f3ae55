import { App } from 'cdk8s';
import { ClusterTarget } from 'cdk8s-vllm';
import { GemmaTwoNodes } from './chart';

export const app = new App();
ClusterTarget.eks('1.36', { lws: '0.10.0', albController: '3.5.0' }).applyTo(app);
new GemmaTwoNodes(app, 'vllm-gemma');
app.synth();
