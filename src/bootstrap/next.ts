import type { ClusterFile } from './file/types';

/** Versions of the charts that the printed commands install. */
export const CHARTS = {
  lws: '0.10.0',
  'aws-load-balancer-controller': '3.5.0',
  'kube-prometheus-stack': '88.5.3',
} as const;

/** A step after the cluster: what it is for, and the commands. */
export interface NextStep {
  readonly title: string;
  readonly commands: readonly string[];
}

const CONTROLLER = 'aws-load-balancer-controller';
const STACK = 'kube-prometheus-stack';

/** What a cluster needs before a deployment, with this cluster's values. */
export function nextSteps(file: ClusterFile, path: string, vpcId: string): NextStep[] {
  const identity = file.podIdentities.find(({ serviceAccount }) => serviceAccount === CONTROLLER);
  return [
    {
      title: 'Reach the cluster, and look whether it is as it should be',
      commands: [`cdk8s-vllm bootstrap kubeconfig -f ${path}`, `cdk8s-vllm bootstrap verify -f ${path}`],
    },
    {
      // The chart asks for a whole core by default, which is what a pod of 6 on a node of 8 then lacks.
      title: 'LeaderWorkerSet controller, with a CPU request that leaves the nodes to the model',
      commands: [
        'helm upgrade --install lws oci://registry.k8s.io/lws/charts/lws \\',
        `  --version ${CHARTS.lws} --namespace lws-system --create-namespace \\`,
        '  --set resources.requests.cpu=100m --wait',
      ],
    },
    ...(identity === undefined
      ? [
          {
            title: `AWS Load Balancer Controller: give its service account a role first, under podIdentities (${CONTROLLER} in kube-system), and apply`,
            commands: [],
          },
        ]
      : [
          {
            // Credentials reach a pod only when it is created; the service mutator stands in the way of other charts.
            title: 'AWS Load Balancer Controller; its role is associated, so that its pods get credentials',
            commands: [
              `helm upgrade --install ${CONTROLLER} \\`,
              `  ${CONTROLLER} --repo https://aws.github.io/eks-charts \\`,
              `  --version ${CHARTS[CONTROLLER]} --namespace ${identity.namespace} \\`,
              `  --set clusterName=${file.name} \\`,
              `  --set region=${file.region} --set vpcId=${vpcId} \\`,
              `  --set serviceAccount.name=${CONTROLLER} \\`,
              '  --set enableServiceMutatorWebhook=false --wait',
            ],
          },
        ]),
    {
      // The release has the name that the PodMonitor of the reference deployment has as its label `release`.
      title: `If you want metrics: Prometheus Operator, which brings the kind PodMonitor and takes those with the label release: ${STACK}`,
      commands: [
        `helm upgrade --install ${STACK} ${STACK} \\`,
        '  --repo https://prometheus-community.github.io/helm-charts \\',
        `  --version ${CHARTS[STACK]} --namespace monitoring --create-namespace \\`,
        '  --wait',
      ],
    },
  ];
}
