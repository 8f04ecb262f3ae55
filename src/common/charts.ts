/** Versions of the charts that the printed commands install, unless a cluster is known to have another one. */
export const CHARTS = {
  lws: '0.10.0',
  'aws-load-balancer-controller': '3.5.0',
  'kube-prometheus-stack': '88.5.3',
} as const;

/** The chart of the load balancer controller, its release, and its service account. */
export const BALANCER_CONTROLLER = 'aws-load-balancer-controller';
export const PROMETHEUS_STACK = 'kube-prometheus-stack';

/** What a cluster needs before a deployment: what for, and the commands, whose lines belong together. */
export interface ChartStep {
  readonly title: string;
  readonly commands: readonly string[];
}

export function lwsStep(version: string = CHARTS.lws): ChartStep {
  return {
    // The chart asks for a whole core by default, which is what a pod of 6 on a node of 8 then lacks.
    title: 'LeaderWorkerSet controller, with a CPU request that leaves the nodes to the model',
    commands: [
      'helm upgrade --install lws oci://registry.k8s.io/lws/charts/lws \\',
      `  --version ${version} --namespace lws-system --create-namespace \\`,
      '  --set resources.requests.cpu=100m --wait',
    ],
  };
}

/** Where the load balancer controller is to run: values, or what a shell takes for them. */
export interface BalancerControllerPlace {
  readonly cluster: string;
  readonly region: string;
  readonly vpc: string;
  readonly namespace: string;
  readonly version?: string;
}

export function balancerControllerStep(place: BalancerControllerPlace): ChartStep {
  const { cluster, region, vpc, namespace, version = CHARTS[BALANCER_CONTROLLER] } = place;
  return {
    // Credentials reach a pod only when it is created.
    title: 'AWS Load Balancer Controller; its role is associated, so that its pods get credentials',
    commands: [
      `helm upgrade --install ${BALANCER_CONTROLLER} \\`,
      `  ${BALANCER_CONTROLLER} --repo https://aws.github.io/eks-charts \\`,
      `  --version ${version} --namespace ${namespace} \\`,
      `  --set clusterName=${cluster} \\`,
      // With both it asks no metadata service, which pods may not reach.
      `  --set region=${region} --set vpcId=${vpc} \\`,
      `  --set serviceAccount.name=${BALANCER_CONTROLLER} \\`,
      // While its pods start, that webhook stands in the way of the Services of other charts.
      '  --set enableServiceMutatorWebhook=false --wait',
    ],
  };
}

/** @param release its Prometheus takes the PodMonitors that have this name as their label `release` */
export function prometheusCommands(release: string = PROMETHEUS_STACK): string[] {
  return [
    `helm upgrade --install ${release} ${PROMETHEUS_STACK} \\`,
    '  --repo https://prometheus-community.github.io/helm-charts \\',
    `  --version ${CHARTS[PROMETHEUS_STACK]} --namespace monitoring --create-namespace \\`,
    '  --wait',
  ];
}
