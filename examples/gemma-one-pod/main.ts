import { App } from 'cdk8s';
import { ClusterTarget } from 'cdk8s-vllm';
import { GemmaOnePod } from './chart';

export const app = new App();
ClusterTarget.eks('1.36', { lws: '0.10.0' }).applyTo(app);
new GemmaOnePod(app, 'gemma-one-pod');
app.synth();
