import {
  BALANCER_CONTROLLER,
  balancerControllerStep,
  type ChartStep,
  lwsStep,
  PROMETHEUS_STACK,
  prometheusCommands,
} from '../common/charts';
import type { ClusterFile } from './file/types';

/** A step after the cluster: what it is for, and the commands. */
export type NextStep = ChartStep;

/** What a cluster needs before a deployment, with this cluster's values. */
export function nextSteps(file: ClusterFile, path: string, vpcId: string): NextStep[] {
  const identity = file.podIdentities.find(({ serviceAccount }) => serviceAccount === BALANCER_CONTROLLER);
  return [
    {
      title: 'Reach the cluster, and look whether it is as it should be',
      commands: [`cdk8s-vllm bootstrap kubeconfig -f ${path}`, `cdk8s-vllm bootstrap verify -f ${path}`],
    },
    lwsStep(),
    identity === undefined
      ? {
          title: `AWS Load Balancer Controller: give its service account a role first, under podIdentities (${BALANCER_CONTROLLER} in kube-system), and apply`,
          commands: [],
        }
      : balancerControllerStep({
          cluster: file.name,
          region: file.region,
          vpc: vpcId,
          namespace: identity.namespace,
        }),
    {
      title: `If you want metrics: Prometheus Operator, which brings the kind PodMonitor and takes those with the label release: ${PROMETHEUS_STACK}`,
      commands: prometheusCommands(),
    },
  ];
}
