/* Made by scripts/embed-probe.mjs from progress.py: edit that file. */

/** Python (standard library only) for `python3 -I -S -c`: exits 1 when the engine behind the server hangs. */
export const PROGRESS_PROBE = String.raw`"""Exit 1 when the engine behind this vLLM server hangs: PORT STALL_SECONDS STATE_FILE CANARY_SECONDS, $VLLM_API_KEY.

With a hung worker /health stays 200, and num_requests_running stays 0 if the hang began while idle. What shows it:
/load counts requests in the server while nothing moves that only an engine step can move. After STALL_SECONDS of that
a test request decides. An API server that is silent for STALL_SECONDS is reported too. A run takes 1.7 * CANARY_SECONDS
at most. Without a file to remember earlier runs nothing is found: the words say so, but kubelet shows them to nobody.
"""
import json, os, socket, sys, time

# The histogram counts the steps that gave a token. The chunks of one long prompt give none, for minutes on a slow CPU,
# but every chunk takes cache blocks (and a test request waits behind them). The num_requests gauges are no marks:
# a request that arrives is no progress. FLOPS counts every step, but only with --enable-mfu-metrics.
FLOPS = 'vllm:estimated_flops_per_gpu_total'
MARKS = ('vllm:iteration_tokens_total_count', 'vllm:kv_cache_usage_perc', FLOPS)
START = time.monotonic()

class Silent(Exception):
    """The server gave no answer in time."""

def ask(what, seconds, body=''):
    head = what + ' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n'
    head += 'Content-Length: %d\r\n' % len(body)
    head += 'Authorization: Bearer %s\r\n\r\n' % os.environ.get('VLLM_API_KEY', '').strip()
    end, data, part = time.monotonic() + seconds, b'', b' '
    try:
        with socket.create_connection(('127.0.0.1', int(sys.argv[1])), seconds) as s:
            s.sendall((head + body).encode())
            while part:  # the time is for the whole answer: one that drips in is none
                s.settimeout(max(end - time.monotonic(), 0.001))
                part = s.recv(65536)
                data += part
    except OSError as e:
        raise Silent(e)
    if not data:
        raise Silent('closed without an answer')
    head, _, text = data.partition(b'\r\n\r\n')
    if not head.startswith(b'HTTP/1.'):
        raise ValueError('not HTTP: %r' % head[:40])
    return int(head[9:12]), text.decode('utf-8', 'replace')

def marks(seconds):
    """Each mark summed over the engines; None when they may stand still in a healthy engine (statistics off)."""
    status, text = ask('GET /metrics', seconds)
    found = [[float(x.rsplit(' ', 1)[1]) for x in text.splitlines() if x.startswith((m + '{', m + ' '))] for m in MARKS]
    # A state-space model, or one whose every layer forgets behind a window, takes no more blocks with each chunk: only
    # FLOPS could tell its long prompt from a hang.
    window = 'sliding_window="' in text and 'sliding_window="None"' not in text
    blind = (window or 'is_attention_free="True"' in text) and not any(found[MARKS.index(FLOPS)])
    return [sum(x) for x in found] if status == 200 and found[0] and not blind else None

def life():
    """Start of pid 1 in clock ticks: another container, or another boot, makes clock and counters of old void."""
    with open('/proc/1/stat') as f:
        return f.read().rsplit(')', 1)[1].split()[19]

def recall(path):
    """Marks, since when they stand still under load, since when the server is silent. Anything odd is no memory."""
    new = {'life': life(), 'marks': None, 'since': None, 'silent': None}
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)) as f:
            old = json.loads(f.read(4096))
        times = [t for t in (old['since'], old['silent']) if t is not None]
        good = old.keys() == new.keys() and old['life'] == new['life'] and all(0 <= t <= START for t in times)
        return old if good else new
    except Exception:
        return new

def remember(path, memory):
    """Written whole or not at all, and never through a link that lies in the way."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(path + '.new', flags, 0o600), 'w') as f:
        json.dump(memory, f)
    os.replace(path + '.new', path)

def judge(stall, wait, memory):
    status, text = ask('GET /load', wait * 0.3)
    if status != 200:
        return 0, '/load answers %d: nothing can be said' % status
    # A number below 0 has drifted (a request was taken off twice) and may hide as many requests: it counts as load.
    load = int(json.loads(text)['server_load'])
    # A client that gives up is no progress: what began under load is followed to its end, though the server is empty.
    if load == 0 and memory['since'] is None:
        return 0, 'idle'
    now = marks(wait * 0.3)
    if now is None:
        return 0, '/metrics does not count engine steps: nothing can be said'
    if memory['since'] is None or memory['marks'] != now:  # not "greater": a restarted server counts from 0
        memory.update(marks=now if load else None, since=START if load else None)
        return 0, 'working: %d in the server, %d steps' % (load, now[0])
    still = time.monotonic() - memory['since']
    said = 'no step since number %d, %.1f s ago, with %d in the server' % (now[0], still, load)
    if still < stall:
        return 0, said
    # A client that stopped reading its answer looks the same. Only a request of our own can tell the two apart.
    left = lambda: max(START + 1.7 * wait - time.monotonic(), 0.1)
    try:
        status = ask('POST /v1/completions', wait, '{"prompt":"a","max_tokens":1}')[0]
        said += '; the test request got a %d' % status
    except Silent as e:
        status, said = 0, said + '; the test request failed: %s' % e
    if status == 500:  # what fails in the request alone, a restart would not cure; with a dead engine /health is a 503
        status = ask('GET /health', left())[0]
        said += ', /health a %d' % status
    # 503: the engine is dead, or its queue is full. Others (wrong key, no such path) never asked the engine.
    if status not in (0, 503) or marks(left()) != now:
        memory.update(marks=None, since=None)
        return 0, 'alive: ' + said
    return 1, 'hung: ' + said

def main(stall, path, wait):
    memory = recall(path)
    before, silent = dict(memory), None
    try:
        code, why = judge(stall, wait, memory)
    except Silent as e:
        silent = START if memory['silent'] is None else memory['silent']
        lasted = time.monotonic() - silent
        code, why = int(lasted >= stall), 'the API server does not answer, for %.1f s: %s' % (lasted, e)
    except Exception as e:
        code, why = 0, 'nothing can be said: %s: %s' % (type(e).__name__, e)
    memory['silent'] = silent
    if memory != before:
        remember(path, memory)
    return code, why

try:
    code, why = main(float(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
except Exception as e:  # a fault of this script or of its file is no reason to restart a server
    code, why = 0, 'WARNING, this probe finds nothing: %s: %s' % (type(e).__name__, e)
print(why)
sys.exit(code)
`;
