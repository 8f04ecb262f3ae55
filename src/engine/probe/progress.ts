/* Made by scripts/embed-probe.mjs from progress.py: edit that file. */

/** Python (standard library only) for `python3 -I -S -c`: exits 1 when the engine behind the server hangs. */
export const PROGRESS_PROBE = String.raw`"""Exit 1 when the engine behind this vLLM server hangs: PORT STALL_SECONDS STATE_FILE CANARY_SECONDS, $VLLM_API_KEY.

With a hung worker /health stays 200, and num_requests_running stays 0 if the hang began while idle. What shows it:
/load counts requests in the server while nothing moves that only an engine step can move.
"""
import json, os, socket, sys, time

# The histogram counts the steps that gave a token. The chunks of one long prompt give none, for minutes on a slow CPU,
# but every chunk takes cache blocks (and a test request waits behind them). The num_requests gauges are no marks:
# a request that arrives is no progress.
MARKS = ('vllm:iteration_tokens_total_count', 'vllm:kv_cache_usage_perc')

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

def marks():
    """Each mark summed over the engines; None when the server does not count its steps (statistics off)."""
    status, text = ask('GET /metrics', 5)
    found = [[float(x.rsplit(' ', 1)[1]) for x in text.splitlines() if x.startswith((m + '{', m + ' '))] for m in MARKS]
    return [sum(x) for x in found] if status == 200 and found[0] else None

def life():
    """Start of pid 1 in clock ticks: another container, or another boot, makes clock and counters of old void."""
    with open('/proc/1/stat') as f:
        return f.read().rsplit(')', 1)[1].split()[19]

def recall(path):
    """Time and marks of an earlier run. Anything odd counts as no memory: then the time starts now."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)) as f:
            who, since, old = json.loads(f.read(4096))
        return (since, old) if who == life() and 0 <= since <= time.monotonic() else (0, None)
    except Exception:
        return 0, None

def remember(path, now):
    """Written whole or not at all, and never through a link that lies in the way."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(path + '.new', flags, 0o600), 'w') as f:
        json.dump([life(), time.monotonic(), now], f)
    os.replace(path + '.new', path)

def judge(stall, path, wait):
    status, text = ask('GET /load', 5)
    if status != 200:
        return 0, '/load answers %d: nothing can be said' % status
    load = int(json.loads(text)['server_load'])
    if load <= 0:
        if os.path.lexists(path):
            os.unlink(path)
        return 0, 'idle'
    now = marks()
    if now is None:
        return 0, '/metrics does not count engine steps: nothing can be said'
    since, old = recall(path)
    if old != now:  # different, not greater: a server that was restarted counts from 0
        remember(path, now)
        return 0, 'working: %d in the server, %d steps' % (load, now[0])
    still = time.monotonic() - since
    said = 'no step since number %d, %.1f s ago, with %d in the server' % (now[0], still, load)
    if still < stall:
        return 0, said
    # A client that stopped reading its answer looks the same. Only a request of our own can tell the two apart.
    try:
        status, _ = ask('POST /v1/completions', wait, '{"prompt":"a","max_tokens":1}')
        said += '; the test request got a %d' % status
    except (Silent, ValueError) as e:
        status, said = 0, said + '; the test request failed: %s' % e
    # 4xx (wrong key, no such path) never reached the engine, which a restart would not cure
    if 200 <= status < 500 or marks() != now:
        remember(path, now)
        return 0, 'alive: ' + said
    return 1, 'hung: ' + said

try:
    code, why = judge(float(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
except Silent as e:
    code, why = 1, 'the API server does not answer: %s' % e
except Exception as e:  # a fault of this script or of its file is no reason to restart a server
    code, why = 0, 'nothing can be said: %s: %s' % (type(e).__name__, e)
print(why)
sys.exit(code)
`;
