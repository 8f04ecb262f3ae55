import { ApiObject, App, type Chart, JsonPatch, Testing } from 'cdk8s';
import { ClusterTarget, Findings, LeaderService, PodMonitor, VllmPipelineGroup } from 'cdk8s-vllm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Validator } from '../../src/constructs/validator';
import { expectError } from '../common/errors';
import { newChart, newGroup, synth } from './harness';

const REASON = 'known, and right in this place';

/** A Service as a user writes it by hand, beside our constructs. */
function plainService(scope: Chart, name: string, id = `service-${name}`): ApiObject {
  return new ApiObject(scope, id, { apiVersion: 'v1', kind: 'Service', metadata: { name } });
}

describe.each([
  ['Testing.synth', (chart: Chart): unknown => Testing.synth(chart)],
  ['app.synthYaml', (chart: Chart): unknown => App.of(chart).synthYaml()],
])('the rules run in %s', (_, run) => {
  test('a Service named like the group, made by hand', () => {
    const chart = newChart();
    newGroup(chart);
    plainService(chart, 'gemma');
    expectError(
      () => run(chart),
      'chart/service-gemma: Service/gemma metadata.name: ',
      "Service 'gemma' has the name of the headless Service of LeaderWorkerSet/gemma",
      'no rank joins',
      "'gemma-leader'",
      '(lws/service-name-collision)',
    );
  });

  test('in another chart of the App, and only in the namespace of the group', () => {
    for (const [namespace, collides] of [
      ['vllm', true],
      ['other', false],
    ] as const) {
      const app = new App();
      const chart = newChart({ namespace: 'vllm' }, app, 'a');
      newGroup(chart);
      plainService(newChart({ namespace }, app, 'b'), 'gemma');
      const message = expect(() => run(chart));
      (collides ? message : message.not).toThrow('lws/service-name-collision');
    }
  });

  test('under UniquePerReplica the ordinals are taken', () => {
    const chart = newChart();
    ApiObject.of(newGroup(chart)).addJsonPatch(
      JsonPatch.replace('/spec/networkConfig/subdomainPolicy', 'UniquePerReplica'),
    );
    plainService(chart, 'gemma');
    expect(() => run(chart)).not.toThrow();
    plainService(chart, 'gemma-0');
    expectError(() => run(chart), "Service 'gemma-0'", '(lws/service-name-collision)');
  });

  test('two objects of one name', () => {
    const chart = newChart();
    const group = newGroup(chart);
    new PodMonitor(chart, 'one', { group, name: 'same' });
    new PodMonitor(chart, 'two', { group, name: 'same' });
    expectError(() => run(chart), 'two objects are called PodMonitor/same in namespace vllm', 'another name');
  });

  test('a variable that a patch sets again, in both roles', () => {
    const chart = newChart();
    const add = JsonPatch.add('/spec/containers/0/env/-', { name: 'VLLM_HOST_IP', value: '::1' });
    newGroup(chart).patchPods(add);
    const path = 'LeaderWorkerSet/gemma spec.leaderWorkerTemplate.';
    const what = "env 'VLLM_HOST_IP' is set twice in container 'vllm'";
    expectError(
      () => run(chart),
      `${path}leaderTemplate.spec.containers[0].env: ${what}`,
      `${path}workerTemplate.spec.containers[0].env: ${what}`,
      'set it once',
    );
  });

  test.each([
    ['0.6.1', {}, 'lws/controller-too-old'],
    ['0.8.0', { rolloutMaxUnavailable: 0, rolloutMaxSurge: 1 }, 'lws/surge-only-too-old'],
    ['0.8.0', {}, undefined],
    ['0.10.0', { rolloutMaxUnavailable: 0, rolloutMaxSurge: 1 }, undefined],
  ])('LWS %s with %j gives %s', (lws, props, id) => {
    const chart = newChart();
    ClusterTarget.eks('1.36', { lws }).applyTo(chart);
    newGroup(chart, props);
    if (id === undefined) {
      expect(() => run(chart)).not.toThrow();
    } else {
      expectError(() => run(chart), `the target cluster runs LWS ${lws}`, `(${id})`);
    }
  });
});

describe('accepted findings', () => {
  test('are silent, are written down, and silence nothing else', () => {
    const chart = newChart();
    newGroup(chart);
    newGroup(chart, {}, 'llama');
    const mine = plainService(chart, 'gemma');
    plainService(chart, 'llama');
    Findings.accept(mine, 'lws/service-name-collision', REASON);
    expect(mine.toJson()).toHaveProperty(
      ['metadata', 'annotations', 'accept.cdk8s-vllm/lws.service-name-collision'],
      REASON,
    );
    expectError(() => synth(chart), "Service 'llama'");
    expect(() => synth(chart)).not.toThrow("Service 'gemma'");
  });

  test('are accepted by name: another one of the same object still speaks', () => {
    const chart = newChart();
    const group = newGroup(chart);
    plainService(chart, 'gemma');
    ClusterTarget.eks('1.36', { lws: '0.6.0' }).applyTo(chart);
    Findings.accept(group, 'lws/duplicate-env', REASON);
    expect(() => synth(chart)).toThrow('lws/controller-too-old');
    Findings.accept(group, 'lws/controller-too-old', REASON);
    expect(() => synth(chart)).toThrow('lws/service-name-collision');
    expect(() => synth(chart)).not.toThrow('lws/controller-too-old');
  });

  test('hold for the object of one namespace, not for its namesake in another', () => {
    const app = new App();
    const charts = ['a', 'b'].map((namespace) => newChart({ namespace }, app, namespace));
    const services = charts.map((chart) => {
      newGroup(chart);
      return plainService(chart, 'gemma');
    });
    Findings.accept(services[1]!, 'lws/service-name-collision', REASON);
    expect(() => synth(charts[0]!)).toThrow("Service 'gemma' has the name");
  });

  test('need a construct with an object, a name and a reason', () => {
    const chart = newChart();
    const group = newGroup(chart);
    expectError(() => Findings.accept(chart, 'a/b', REASON), 'chart has no API object of its own', "'a/b'");
    expectError(() => Findings.accept(App.of(chart), 'a/b', REASON), 'the App has no API object');
    expectError(() => Findings.accept(group, 'a/b', ' because  '), "accepting 'a/b' is ' because  '", 'a few words');
    expectError(
      () => Findings.accept(group, 'ab', REASON),
      "finding 'ab' is not known",
      'docs/rules/README.md lists the rules',
    );
  });
});

describe('one validator an App', () => {
  afterEach(() => vi.restoreAllMocks());

  test.each([1, 4, 16])('reads each object once for the rules, however many of the %d charts', (charts) => {
    const app = new App();
    const reads = new Map<ApiObject, number>();
    for (let i = 0; i < charts; i++) {
      newGroup(newChart({ namespace: `n${i}` }, app, `chart${i}`));
    }
    for (const object of app.node.findAll().filter((o) => ApiObject.isApiObject(o))) {
      const read = object.toJson.bind(object);
      object.toJson = () => {
        reads.set(object, (reads.get(object) ?? 0) + 1);
        return read() as unknown;
      };
    }
    app.synthYaml();
    // Once for the rules, once for the YAML.
    expect(new Set(reads.values())).toEqual(new Set([2]));
    app.synthYaml();
    expect(new Set(reads.values())).toEqual(new Set([4]));
  });

  test.each([1, 10, 40])('reads each object of %d groups once a pass', (groups) => {
    const chart = newChart();
    for (let i = 0; i < groups; i++) {
      const group = newGroup(chart, {}, `g${i}`);
      new LeaderService(chart, `g${i}-leader`, { group });
    }
    const validate = vi.spyOn(Validator.prototype, 'validate');
    const toJson = vi.spyOn(ApiObject.prototype, 'toJson');
    const objects = 1 + 3 * groups;
    expect(synth(chart)).toHaveLength(objects);
    expect(validate).toHaveBeenCalledTimes(1);
    // Once for the rules, once for the YAML.
    expect(toJson).toHaveBeenCalledTimes(2 * objects);
  });

  test('also when several charts hold groups', () => {
    const app = new App();
    const charts = ['a', 'b', 'c'].map((id) => newChart({ namespace: id }, app, id));
    charts.forEach((chart) => newGroup(chart));
    const validate = vi.spyOn(Validator.prototype, 'validate');
    synth(charts[0]!);
    expect(validate).toHaveBeenCalledTimes(1);
  });

  test('an App without any construct of ours is left alone', () => {
    const chart = newChart();
    VllmPipelineGroup.fromName('far');
    plainService(chart, 'x', 'one');
    plainService(chart, 'x', 'two');
    expect(synth(chart)).toHaveLength(2);
  });
});
