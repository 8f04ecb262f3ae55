import { edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { withArguments } from './manifests';

const check = eachEngine(function* ({ engine: { command }, pod }) {
  const timeout = command.number('--shutdown-timeout');
  const grace = pod.terminationGracePeriodSeconds;
  if (timeout !== undefined && timeout > 0 && timeout >= grace) {
    yield {
      path: command.flag('--shutdown-timeout')!.path,
      what: `shutdown-timeout is ${timeout} s, and the pod is killed after ${grace} s (terminationGracePeriodSeconds)`,
    };
  }
});

const DRAIN = (): string => withArguments('--shutdown-timeout=60');

export const shutdownTimeout: Rule = {
  id: 'vllm/shutdown-timeout',
  severity: 'warning',
  title: 'the drain time is no shorter than the grace period',
  why: 'the kubelet kills the server before running requests are done; it needs some seconds after them, too',
  fix: 'raise terminationGracePeriodSeconds to 30 s more than --shutdown-timeout',
  source: 'v1/engine; 22 s for a drain time of 20 s on 0.32.0',
  get bad() {
    return DRAIN();
  },
  get good() {
    return edit(DRAIN(), [
      '      enableServiceLinks: false\n',
      '      enableServiceLinks: false\n      terminationGracePeriodSeconds: 90\n',
    ]);
  },
  check,
};
