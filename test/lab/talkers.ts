import { smallGroup } from './small-group';

/** Says numbers, ten a second, and what is put into its files: last words, after which it ends. */
const TALK = [
  'i=0; while ! [ -e /tmp/die ]; do echo "number $i"; i=$((i+1)); sleep 0.1; done',
  // All of it to one stream, as Python does: of two, nobody says which came first.
  '{ echo "Traceback (most recent call last):"; echo \'  File "worker.py", line 1, in run\'; echo "RuntimeError: the end of $HOSTNAME"; } >&2; exit 1',
].join('; ');
/** A `vllm` of its own, by which the pods are known. */
const SCRIPT = `printf '#!/bin/sh\n%s\n' '${TALK.replaceAll("'", "'\\''")}' > /tmp/vllm; chmod +x /tmp/vllm; PATH=/tmp:$PATH; vllm serve lab/talker --nnodes 2`;

/** A group that is taken for one of vLLM and only talks. */
export function talkingGroup(namespace: string): object[] {
  const template = (role: string) => ({
    metadata: { labels: { app: 'talker', role } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'vllm',
          image: 'docker.io/lab/base:1',
          command: ['sh', '-c', SCRIPT],
          resources: { requests: { cpu: '20m', memory: '16Mi' }, limits: { memory: '64Mi' } },
        },
      ],
    },
  });
  return smallGroup(namespace, 'talker', template);
}
