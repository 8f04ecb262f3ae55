import { describe, expect, test } from 'vitest';
import { readGroups } from '../../src/manifest';
import { deployment, engineOf, flagsOf, roles } from './read';

const env = [
  { name: 'PORT', value: '8001' },
  { name: 'LIST', value: '--headless -tp 2' },
  { name: 'EMPTY', value: '' },
];
const run = (script: string, ...more: string[]) => engineOf({ command: ['bash', '-c', script, ...more], env });
const flags = (script: string, ...more: string[]) => flagsOf(run(script, ...more));

describe('a shell line', () => {
  test.each([
    ['vllm serve M --port 1', { '--port': '1' }],
    ['exec vllm serve M --port 1', { '--port': '1' }],
    ['vllm serve M \\\n  --port 1 \\\n  --headless\n', { '--port': '1', '--headless': 'true' }],
    ['set -euo pipefail; cd /x && vllm serve M --port 1', { '--port': '1' }],
    ['# vllm serve N --port 9\nvllm serve M --port 1 # --headless', { '--port': '1' }],
    ['vllm serve M --chat-template \'a b\' --port "1"', { '--chat-template': 'a b', '--port': '1' }],
    ['vllm serve M --chat-template "a \\"b\\" \\$c"', { '--chat-template': 'a "b" $c' }],
    ['vllm serve M --limit-mm-per-prompt \'{"image": 0}\'', { '--limit-mm-per-prompt': '{"image": 0}' }],
    ['vllm serve M --port $PORT', { '--port': '8001' }],
    ['vllm serve M --port=${PORT}', { '--port': '8001' }],
    ['vllm serve M --port "${NONE:-7}" --seed ${PORT:-7}', { '--port': '7', '--seed': '8001' }],
    ['vllm serve M --port "${EMPTY:-7}"', { '--port': '7' }],
    ['vllm serve M ${EMPTY:+--headless} ${PORT:+--port 3}', { '--port': '3' }],
    ['vllm serve M $LIST', { '--headless': 'true', '--tensor-parallel-size': '2' }],
    ['P=3; vllm serve M --port $P', { '--port': '3' }],
    ['P=3\nP=${P}4\nvllm serve M --port "$P"', { '--port': '34' }],
    ['A="--port 3"; A+=" --headless"; vllm serve M $A', { '--port': '3', '--headless': 'true' }],
    ['vllm serve M --port $((PORT + 2 * (3 - 1)))', { '--port': '8005' }],
    ['vllm serve M --port $((7 / 2)) --seed $((-7 % 4))', { '--port': '3', '--seed': '-3' }],
    ['if [ "$PORT" = 8001 ]; then vllm serve M --port 1; else vllm serve M --port 2; fi', { '--port': '1' }],
    [
      'if [[ $PORT == 8002 ]]; then X=1; elif test -n "$PORT"; then X=2; else X=3; fi; vllm serve M --port $X',
      { '--port': '2' },
    ],
    ['[ -z "$EMPTY" ] && X=1 || X=2; vllm serve M --port $X', { '--port': '1' }],
    ['[ "$PORT" -gt 9000 ] && exit 1; vllm serve M --port 1', { '--port': '1' }],
    ['case "$PORT" in 8000) X=1;; 8001|8002) X=2;; *) X=3;; esac; vllm serve M --port $X', { '--port': '2' }],
    ['until nc -z host 1; do sleep 1; done; vllm serve M --port 1', { '--port': '1' }],
    ['for i in 1 2 3; do [ $i -eq 3 ] && exit 1; sleep 1; done\nvllm serve M --port 1', { '--port': '1' }],
    ['while true; do vllm serve M --port 1; sleep 5; done', { '--port': '1' }],
    ['start() { vllm serve M --port "$1"; }\nstart 4', { '--port': '4' }],
    ['function start { exec vllm serve M "$@"; }; start --port 4', { '--port': '4' }],
    ['cat <<EOF > /tmp/x\nvllm serve N --port 9\nEOF\nvllm serve M --port 1', { '--port': '1' }],
    ["cat <<-'EOF'\n\tif then (\n\tEOF\nvllm serve M --port 1", { '--port': '1' }],
    ['vllm serve M --port 1 2>&1 | tee /tmp/log', { '--port': '1' }],
    ['vllm serve M --port 1 > /dev/null 2>&1 &\nwait', { '--port': '1' }],
    ['(cd /x; vllm serve M --port 1)', { '--port': '1' }],
    ['{ vllm serve M --port 1; }', { '--port': '1' }],
    ['pip install "ray[cgraph]" || exit 1; vllm serve M --port 1', { '--port': '1' }],
    ['sh -c "vllm serve M --port 1"', { '--port': '1' }],
    ['env A=1 nice -n 5 vllm serve M --port 1', { '--port': '1' }],
    [
      'numactl --cpunodebind=0 -m 0 python3 -m vllm.entrypoints.openai.api_server --model M --port 1',
      { '--model': 'M', '--port': '1' },
    ],
    ['timeout 600 /usr/local/bin/vllm serve M --port 1', { '--port': '1' }],
    ['set -- --port 1 --headless; vllm serve M "$@"', { '--port': '1', '--headless': 'true' }],
    ['vllm serve M --port "$(echo 1)"', { '--port': '$(…)' }],
    ['vllm serve M --port `cat /port`', { '--port': '$(…)' }],
    ['read P < /port; vllm serve M --port "$P"', { '--port': '$(…)' }],
    ['A=(--port 1); A+=(--headless); vllm serve M "${A[@]}"', { '--port': '1', '--headless': 'true' }],
    ['vllm serve M --port "$UNSET"', { '--port': '$(UNSET)' }],
    ['vllm serve M --port ${PORT%1}', { '--port': '$(…)' }],
    ['vllm serve M --host "$((1 + ))"', { '--host': '$(…)' }],
  ])('%s', (script, expected) => {
    expect(flags(script)).toEqual(expected);
  });

  test('hands on its own arguments', () => {
    expect(flags('exec vllm serve "$@"', '--', 'M', '--port', '1')).toEqual({ '--port': '1' });
    expect(run('exec vllm serve "$@"', '--', 'M', '--port', '1').settings?.model.value).toBe('M');
    expect(flags('vllm serve M $1 $2', 'sh', '--port', '1')).toEqual({ '--port': '1' });
    expect(flags('shift; vllm serve M "$@"', 'sh', 'x', '--port', '1')).toEqual({ '--port': '1' });
  });

  test.each([
    [['-c']],
    [['-lc']],
    [['-exc']],
    [['-e', '-c']],
    [['-o', 'pipefail', '-c']],
    [['-euo', 'pipefail', '-c']],
    [['--login', '-c']],
  ])('is behind %s', (options) => {
    const engine = engineOf({ command: ['/bin/bash', ...options], args: ['vllm serve M --port 1'] });
    expect([engine.command.form, engine.command.isShell, flagsOf(engine)]).toEqual(['serve', true, { '--port': '1' }]);
    expect(engine.command.flag('--port')?.path).toBe('spec.template.spec.containers[0].args[0]');
  });

  test('sets variables for the engine', () => {
    const engine = run('export VLLM_API_KEY=k; A=1; PORT=2; B=3 vllm serve M');
    expect(['VLLM_API_KEY', 'A', 'PORT', 'B'].map((name) => engine.variable(name)?.text.value)).toEqual([
      'k',
      undefined,
      '2',
      '3',
    ]);
    expect(engine.settings?.apiKey.value).toBe(true);
    expect(run('env OMP_NUM_THREADS=4 vllm serve M').variable('OMP_NUM_THREADS')?.text.value).toBe('4');
  });

  test('is read after $(NAME), which becomes a command where nothing defines it', () => {
    const engine = run('vllm serve M --port $(PORT) --master-addr $(GROUP_LEADER) --host "$(hostname -i)"');
    expect(flagsOf(engine)).toEqual({ '--port': '8001', '--master-addr': '$(…)', '--host': '$(…)' });
    expect(engine.unresolved).toMatchObject([{ name: 'GROUP_LEADER', isShell: true }, { name: 'hostname -i' }]);
  });

  test('with a condition that is not known says so', () => {
    const one = run('if [ -f /x ]; then exec vllm serve M --port 1; fi; sleep infinity');
    expect(one.command).toMatchObject({ form: 'serve', maybe: 'a condition is not known', isComplete: false });
    const two = run('if [ -f /x ]; then vllm serve M --port 1; else vllm serve M --port 2; fi');
    expect(two.command).toMatchObject({ form: 'unreadable', why: /more than one server/ });
    const array = run('A=(--port 1); if nvidia-smi; then A+=(--headless); fi; A+=(--seed 2); vllm serve M "${A[@]}"');
    expect([array.command.isOn('--headless'), array.command.number('--port'), array.command.number('--seed')]).toEqual([
      undefined,
      1,
      2,
    ]);
    const part = run('E=""; if nvidia-smi; then E="--headless"; fi; vllm serve M $E --port 1');
    expect([part.command.isOn('--headless'), part.command.number('--port'), part.command.maybe]).toEqual([
      undefined,
      1,
      undefined,
    ]);
  });

  test.each([
    ['vllm serve M --port "1', 'a " has no end'],
    ['A=([1]=x); vllm serve M "${A[@]}"', 'it names the places of an array'],
    ['A[1]=x; vllm serve M "${A[@]}"', 'it sets one element of an array'],
    ['A=(1 2; vllm serve M "${A[@]}"', 'an array has no end'],
    ['A=(1 2); vllm serve M "${A[@]:1}"', 'it has an expansion that is not read: ${A[@]:…'],
    ['if true; then vllm serve M', "'fi' is missing"],
    ['vllm serve M )', "')' stands where nothing opened it"],
    ["vllm serve M $'x'", "it quotes with $'…'"],
    ['f() { f; }; f; vllm serve M', 'its functions call one another too deeply'],
    ['((x++)); vllm serve M', 'it uses ((…))'],
  ])('%s is beyond what is read', (script, why) => {
    expect(run(script).command).toMatchObject({
      form: 'unreadable',
      why: `the shell line is beyond what is read: ${why}`,
    });
  });

  test.each([
    ['opentelemetry-instrument vllm serve M', 'what opentelemetry-instrument makes of it is not known'],
    ['ray symmetric-run --address h:1 -- vllm serve M', 'ray symmetric-run decides on the pod which of them serves'],
    ['/start.sh --port 1', 'the script /start.sh is in the container'],
    ['eval "vllm serve M"', 'eval puts the line together'],
    ['$LAUNCH M', 'nothing in the manifest sets LAUNCH'],
  ])('%s is not read', (script, why) => {
    expect(run(script).command).toMatchObject({ form: 'unreadable', why });
  });

  test('in a file is not seen', () => {
    expect(engineOf({ command: ['bash', '/scripts/start.sh'] }).command).toMatchObject({
      form: 'unreadable',
      why: 'the script /scripts/start.sh is in the container',
    });
    const { groups } = readGroups([deployment({ image: 'nginx', command: ['bash', '/scripts/start.sh'] })]);
    expect(groups).toEqual([]);
  });
});

describe('a script for both roles', () => {
  test('decides by LWS_WORKER_INDEX', () => {
    const script = `
      if [ "$LWS_WORKER_INDEX" = "0" ]; then
        exec vllm serve M --nnodes $LWS_GROUP_SIZE --node-rank 0 --master-addr $LWS_LEADER_ADDRESS --port 8000
      else
        exec vllm serve M --nnodes $LWS_GROUP_SIZE --node-rank $LWS_WORKER_INDEX --master-addr $LWS_LEADER_ADDRESS --headless
      fi`;
    const { leader, worker, unread } = roles(script, 4);
    expect(unread).toEqual([]);
    expect(leader?.settings).toMatchObject({
      nodeRank: { value: 0 },
      nnodes: { value: 4 },
      headless: { value: false },
    });
    expect(worker?.settings).toMatchObject({
      nodeRank: { value: 'worker-index' },
      nnodes: { value: 4 },
      headless: { value: true },
    });
    expect(leader!.settings!.masterAddr.text!.sameAs(worker!.settings!.masterAddr.text!)).toBe(true);
  });

  test.each([
    ['[ $LWS_WORKER_INDEX -gt 0 ] && H=--headless; vllm serve M $H', 4, true],
    ['[ "$LWS_WORKER_INDEX" != 0 ] && H=--headless; vllm serve M $H', 4, true],
    ['case $LWS_WORKER_INDEX in 1) H=--headless;; esac; vllm serve M $H', 4, undefined],
    ['[ "$LWS_WORKER_INDEX" = 1 ] && H=--headless; vllm serve M $H', 2, true],
    ['[ "$LWS_WORKER_INDEX" = 1 ] && H=--headless; vllm serve M $H', 4, undefined],
    ['[ "$LWS_WORKER_INDEX" -lt $LWS_GROUP_SIZE ] && H=--headless; vllm serve M $H', 4, true],
    ['R=$LWS_WORKER_INDEX; if [[ ${R:-0} -ge 1 ]]; then H=--headless; fi; vllm serve M $H', 4, true],
  ])('%s with %s pods: %s', (script, size, isHeadless) => {
    expect(roles(`H=; ${script}`, size).worker?.command.isOn('--headless')).toBe(isHeadless);
  });

  test('counts with the index where there is one worker alone', () => {
    const script = 'vllm serve M --data-parallel-start-rank $((LWS_WORKER_INDEX * 4)) -dp $((LWS_GROUP_SIZE * 4))';
    const two = roles(script, 2);
    expect([two.leader, two.worker].map((engine) => engine?.settings?.dataParallelStartRank.value)).toEqual([0, 4]);
    const four = roles(script, 4);
    expect(four.worker?.settings?.dataParallelStartRank).toMatchObject({ isGiven: true, why: /not known/ });
    expect(four.worker?.settings?.dataParallelSize.value).toBe(16);
  });

  test('reads the form that Kubernetes fills in', () => {
    const { worker } = roles('vllm serve M --node-rank $(LWS_WORKER_INDEX) --master-addr=$(LWS_LEADER_ADDRESS)');
    expect(worker?.settings?.nodeRank.value).toBe('worker-index');
    expect(worker?.settings?.masterAddr.text?.source).toBe('LWS_LEADER_ADDRESS');
  });
});

describe('Ray', () => {
  test('by the script of the image', () => {
    const script = `if [ "$LWS_WORKER_INDEX" = 0 ]; then
        bash /vllm-workspace/examples/ray_serving/multi-node-serving.sh leader --ray_cluster_size=$LWS_GROUP_SIZE;
        python3 -m vllm.entrypoints.openai.api_server --port 8080 --model M -tp 8 -pp 2
      else bash /vllm-workspace/examples/ray_serving/multi-node-serving.sh worker --ray_address=$(LWS_LEADER_ADDRESS); fi`;
    const { leader, worker } = roles(script);
    expect(leader?.command).toMatchObject({ form: 'module', ray: { role: 'head', by: 'script' } });
    expect(leader?.command.ray?.clusterSize?.value).toBe('2');
    expect(leader?.settings).toMatchObject({ model: { value: 'M' }, worldSize: 16, port: { value: 8080 } });
    expect([worker?.command.form, worker?.settings]).toEqual(['ray-worker', undefined]);
    expect(worker?.command.ray?.address?.source).toBe('LWS_LEADER_ADDRESS');
  });

  test('by ray start and run_cluster.sh', () => {
    const head = run('ray start --head --port 6379 && vllm serve M --distributed-executor-backend ray');
    expect(head.command).toMatchObject({ form: 'serve', ray: { role: 'head', by: 'ray' } });
    const worker = run('until ray status; do sleep 1; done; ray start --address=$LEADER:6379 --block');
    expect(worker.command).toMatchObject({ form: 'ray-worker', ray: { role: 'worker' } });
    expect(worker.command.ray?.address?.toString()).toBe('$(LEADER):6379');
    const cluster = engineOf({
      command: ['bash', 'run_cluster.sh', 'vllm/vllm-openai', '10.0.0.1', '--worker', '/hf'],
    });
    expect(cluster.command).toMatchObject({ form: 'ray-worker', ray: { by: 'cluster', role: 'worker' } });
    expect(run('ray start --head --block').command).toMatchObject({ form: 'unreadable', why: /no server/ });
  });
});

describe('a command without a shell', () => {
  test.each([
    [{ command: ['vllm', 'serve', 'M'], args: ['--port=1'] }, 'serve', false],
    [{ command: ['vllm'], args: ['serve', 'M', '--port=1'] }, 'serve', false],
    [{ args: ['M', '--port=1'] }, 'serve', true],
    [{ args: ['--model', 'M', '--port', '1'] }, 'serve', true],
    [{ command: [], args: ['M', '--port=1'] }, 'serve', true],
    [
      { command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'], args: ['--model=M', '--port=1'] },
      'module',
      false,
    ],
    [
      { command: ['/usr/bin/python3.12', '-u', '-m', 'vllm.entrypoints.cli.main', 'serve', 'M', '--port=1'] },
      'serve',
      false,
    ],
    [{ command: ['tini', '--', 'vllm', 'serve', 'M', '--port=1'] }, 'serve', false],
    [{ image: 'acme/own', command: ['vllm', 'serve', 'M', '--port=1'] }, 'serve', false],
    [{ image: 'acme/own', args: ['vllm', 'serve', 'M', '--port=1'] }, 'serve', false],
  ])('%j', (container, form, isEntrypoint) => {
    const { command, settings } = engineOf(container);
    expect([command.form, command.isEntrypoint, settings?.model.value, settings?.port.value]).toEqual([
      form,
      isEntrypoint,
      'M',
      1,
    ]);
  });

  test.each([
    [{ image: 'acme/own', args: ['M', '--port=1'] }],
    [{ image: 'acme/own', command: ['python3', 'app.py'] }],
    [{ command: ['sleep', 'infinity'] }],
    [{ command: ['vllm', 'bench', 'serve'] }],
    [{ command: ['python3', '-c', 'print(1)'] }],
  ])('%j is no engine', (container) => {
    expect(readGroups([deployment(container)]).groups).toEqual([]);
  });

  test('of an image with an entrypoint of its own is not guessed', () => {
    const { groups, unread } = readGroups([deployment({ image: 'acme/vllm:1', args: ['--model', 'M'] })]);
    expect(groups[0]!.leader.engine!.command.form).toBe('unreadable');
    expect(unread).toMatchObject([{ what: 'the command', why: 'the entrypoint of acme/vllm:1 is not known' }]);
  });

  test('reads words that are no texts, and says so', () => {
    const { groups, unread } = readGroups([deployment({ args: ['M', '--port', 8001, null], command: 'vllm' })]);
    expect(groups[0]!.leader.engine!.settings?.port.value).toBe(8001);
    expect(unread.map(({ path }) => path.split('containers[0].')[1])).toEqual(['command', 'args[2]', 'args[3]']);
  });
});
