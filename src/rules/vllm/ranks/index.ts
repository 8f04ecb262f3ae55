import type { Rule } from '../../rule';
import { cpuFixedPort } from './cpu-fixed-port';
import { cpuPipelineEager } from './cpu-pipeline-eager';
import { cpuPipelineVersion } from './cpu-pipeline-version';
import { cpuRanksPerPod } from './cpu-ranks-per-pod';
import { cpuRay } from './cpu-ray';
import { dataParallelFlags } from './data-parallel-flags';
import { followerModuleEntrypoint } from './follower-module-entrypoint';
import { followerNotHeadless } from './follower-not-headless';
import { gatedModelNoToken } from './gated-model-no-token';
import { glooInterfaceList } from './gloo-interface-list';
import { headlessApiServers } from './headless-api-servers';
import { headlessLeader } from './headless-leader';
import { hostIp } from './host-ip';
import { hostIpUnset } from './host-ip-unset';
import { layerPartition } from './layer-partition';
import { masterAddr } from './master-addr';
import { meshSidecar } from './mesh-sidecar';
import { moreStagesThanLayers } from './more-stages-than-layers';
import { nnodesGroupSize } from './nnodes-group-size';
import { noPipelineSupport } from './no-pipeline-support';
import { nodeRank } from './node-rank';
import { nodesNotDividing } from './nodes-not-dividing';
import { rankFlagDrift } from './rank-flag-drift';
import { rayBackendImplicit } from './ray-backend-implicit';
import { rayBootstrapVersion } from './ray-bootstrap-version';
import { rayClusterSize } from './ray-cluster-size';
import { rayWithNnodes } from './ray-with-nnodes';
import { serviceLinksPortClash } from './service-links-port-clash';
import { stepTimeoutUnset } from './step-timeout-unset';
import { uniPipeline } from './uni-pipeline';
import { worldSizeExceedsDevices } from './world-size-exceeds-devices';

export const RANK_RULES: readonly Rule[] = [
  cpuFixedPort,
  cpuPipelineEager,
  cpuPipelineVersion,
  cpuRanksPerPod,
  cpuRay,
  dataParallelFlags,
  followerModuleEntrypoint,
  followerNotHeadless,
  gatedModelNoToken,
  glooInterfaceList,
  headlessApiServers,
  headlessLeader,
  hostIp,
  hostIpUnset,
  layerPartition,
  masterAddr,
  meshSidecar,
  moreStagesThanLayers,
  nnodesGroupSize,
  noPipelineSupport,
  nodeRank,
  nodesNotDividing,
  rankFlagDrift,
  rayBackendImplicit,
  rayBootstrapVersion,
  rayClusterSize,
  rayWithNnodes,
  serviceLinksPortClash,
  stepTimeoutUnset,
  uniPipeline,
  worldSizeExceedsDevices,
];
