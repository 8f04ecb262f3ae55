import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit } from '../../../src/rules/examples';
import { runRules } from '../../../src/rules/index';
import { foundBy } from '../found';
import { objectsOf } from '../manifests';

const of = (id: string, yaml: string): string[] => foundBy('k8s', yaml).filter((line) => line.includes(` k8s/${id} `));
const MOUNT = 'volumeMounts: [{ name: shm, mountPath: /dev/shm }]';
const VOLUMES = 'volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 2Gi } }]';
const READY = 'readinessProbe: { httpGet: { path: /health, port: http } }';

describe('k8s/unknown-volume', () => {
  const stateful = (claims: string): string =>
    edit(
      CPU_POD,
      ['kind: Deployment', 'kind: StatefulSet'],
      ['  replicas: 1\n', `  replicas: 1\n  serviceName: small\n${claims}`],
      [MOUNT, 'volumeMounts: [{ name: weights, mountPath: /models }]'],
    );
  test.each([
    ['another name', edit(CPU_POD, [MOUNT, MOUNT.replace('shm', 'cache')]), 1],
    ['no volumes at all', edit(CPU_POD, [VOLUMES, 'terminationGracePeriodSeconds: 30']), 1],
    ['volumes that are null', edit(CPU_POD, [VOLUMES, 'volumes: null']), 1],
    ['volumes of a template', edit(CPU_POD, [VOLUMES, 'volumes: ${VOLUMES}']), 0],
    ['a name of a template', edit(CPU_POD, ['volumes: [{ name: shm,', 'volumes: [{ name: "${NAME}",']), 0],
    ['a claim of the set', stateful('  volumeClaimTemplates: [{ metadata: { name: weights } }]\n'), 0],
    ['another claim of the set', stateful('  volumeClaimTemplates: [{ metadata: { name: models } }]\n'), 1],
    [
      'an init container',
      edit(CPU_POD, [
        '      containers:\n',
        '      initContainers: [{ name: get, image: get:1, volumeMounts: [{ name: models, mountPath: /m }] }]\n      containers:\n',
      ]),
      1,
    ],
    ['both templates of a group', edit(CPU_GROUP, [MOUNT, MOUNT.replace('shm', 'cache')]), 2],
  ])('%s', (_, yaml, count) => {
    expect(of('unknown-volume', yaml)).toHaveLength(count);
  });

  test('says what is there, and the nearest', () => {
    const [finding] = runRules(objectsOf(edit(CPU_POD, [MOUNT, MOUNT.replace('name: shm', 'name: shmm')])));
    expect(finding).toMatchObject({
      id: 'k8s/unknown-volume',
      path: 'spec.template.spec.containers[0].volumeMounts[0].name',
    });
    expect(finding!.what).toMatch(/^no volume of the pod is called 'shmm'.*'?shm'?/);
  });
});

describe('k8s/probe-handler', () => {
  test.each([
    ['two', READY.replace(' } }', ' }, exec: { command: [ls] } }'), 1],
    ['none', 'readinessProbe: { periodSeconds: 5 }', 1],
    ['none but null', 'readinessProbe: { httpGet: null, periodSeconds: 5 }', 1],
    ['one, and another that is null', READY.replace(' } }', ' }, tcpSocket: null }'), 0],
    ['exec', 'readinessProbe: { exec: { command: [ls] } }', 0],
    ['grpc', 'readinessProbe: { grpc: { port: 8000 } }', 0],
    ['a probe that is null', 'readinessProbe: null', 0],
  ])('%s', (_, probe, count) => {
    expect(of('probe-handler', edit(CPU_POD, [READY, probe]))).toHaveLength(count);
  });
});

describe('k8s/port-number', () => {
  test.each([
    ['0', 1],
    ['1', 0],
    ['65535', 0],
    ['65536', 1],
    ['-1', 1],
    ['"${PORT}"', 0],
  ])('containerPort: %s', (port, count) => {
    const yaml = edit(CPU_POD, ['containerPort: 8000 }]', `containerPort: 8000 }, { containerPort: ${port} }]`]);
    expect(of('port-number', yaml)).toHaveLength(count);
  });

  test('of a probe', () => {
    const probe = (port: string) => edit(CPU_POD, [READY, READY.replace('port: http', `port: ${port}`)]);
    expect(of('port-number', probe('70000'))).toHaveLength(1);
    expect(of('port-number', probe('8000'))).toEqual([]);
  });
});
