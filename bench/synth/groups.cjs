// Synthesizes N groups in one chart, as YAML text, in this process. Usage: node groups.cjs N
const { App, Chart } = require('cdk8s');
const { Model, NodeShape, SecretKey, VllmImage, VllmPipelineGroup, LeaderService } = require('../..');

const count = Number(process.argv[2]);
const app = new App({ outdir: process.argv[3] });
const chart = new Chart(app, 'many', { namespace: 'vllm', disableResourceNameHashes: true });
for (let i = 0; i < count; i++) {
  const group = new VllmPipelineGroup(chart, `group-${i}`, {
    model: Model.of('google/gemma-3-1b-it'),
    image: VllmImage.cpu('0.31.0'),
    node: NodeShape.M7G_2XLARGE,
    pipelineParallelSize: 2,
    huggingFaceToken: SecretKey.of('hf-token', 'token'),
  });
  new LeaderService(chart, `leader-${i}`, { group });
}
app.synth();
