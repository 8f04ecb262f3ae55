// Marks by which objects are known across copies of this library, and by the bundled tools, which have one of their own.

/** On every VllmPipelineGroup. */
export const GROUP = Symbol.for('cdk8s-vllm.VllmPipelineGroup');
/** On the root of an App: its ClusterTarget. */
export const TARGET = Symbol.for('cdk8s-vllm.cluster-target');
