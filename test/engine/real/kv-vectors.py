"""What the engine of the installed vLLM makes of KV caches: one JSON a case on stdin, one JSON an answer on stdout.

A case has a name, the folder of a model, and flags. One process imports vLLM once and forks for each case: the engine core
with its real workers, by the same way from flags to cache as `vllm serve`, without the server.
"""

import gc
import json
import os
import pathlib
import re
import select
import signal
import sys
import tempfile
import traceback
from multiprocessing.shared_memory import SharedMemory

SECONDS = 240


def answer(case):
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.usage.usage_lib import UsageContext
    from vllm.utils.argparse_utils import FlexibleArgumentParser
    from vllm.v1.engine.core import EngineCore
    from vllm.v1.executor import Executor

    os.environ.update(case.get('env', {}))
    flags = ['--model', case['folder'], '--load-format', 'dummy', '-cc.mode=0', '--distributed-executor-backend', 'mp']
    parsed = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser()).parse_args([*flags, *case['flags']])
    config = AsyncEngineArgs.from_cli_args(parsed).create_engine_config(UsageContext.OPENAI_API_SERVER)
    # The CPU platform asks for new processes, which would import everything anew.
    os.environ['VLLM_WORKER_MULTIPROC_METHOD'] = 'fork'
    EngineCore(config, Executor.get_class(config), log_stats=False)
    cache = config.cache_config
    return {
        'tokens': cache.kv_cache_size_tokens,
        'concurrency': round(cache.kv_cache_max_concurrency, 2),
        'blocks': cache.num_gpu_blocks,
        'batchedTokens': config.scheduler_config.max_num_batched_tokens,
    }


# Names of shared memory that the forks make. It outlives whoever is killed.
NOTES = tempfile.TemporaryFile(buffering=0)


def note_shared_memory():
    init = SharedMemory.__init__

    def noted(self, name=None, create=False, size=0):
        init(self, name, create, size)
        if create:
            os.pwrite(NOTES.fileno(), f'{self.name}\n'.encode(), os.fstat(NOTES.fileno()).st_size)

    SharedMemory.__init__ = noted


def mapped_by(group):
    """Files of shared memory that processes of a group have mapped: kernels of vLLM make some as well."""
    found = set()
    for maps in pathlib.Path('/proc').glob('[0-9]*/maps'):
        try:
            if os.getpgid(int(maps.parent.name)) == group:
                found |= set(re.findall(r' (/dev/shm/vllm_\S+)$', maps.read_text(), re.M))
        except OSError:
            continue
    return found


def remove_shared_memory(mapped):
    for path in mapped:
        pathlib.Path(path).unlink(missing_ok=True)
    size = os.fstat(NOTES.fileno()).st_size
    for name in os.pread(NOTES.fileno(), size, 0).decode().split():
        pathlib.Path('/dev/shm', name.lstrip('/')).unlink(missing_ok=True)
    NOTES.truncate(0)


def run(case):
    """In a process group of its own, which is ended with all its workers."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        try:
            result = answer(case)
        except BaseException as error:
            result = {'error': f'{type(error).__name__}: {error}'[:600], 'trace': traceback.format_exc()[-600:]}
        os.write(write, json.dumps(result).encode())
        os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], SECONDS)
    data = os.read(read, 65536) if ready else b''
    os.close(read)
    mapped = mapped_by(child)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(child, 0)
    remove_shared_memory(mapped)
    return json.loads(data) if data else {'error': 'no answer in time'}


def main():
    out = os.fdopen(os.dup(1), 'w')
    # Whatever vLLM says goes elsewhere.
    os.dup2(2, 1)
    import torch
    import vllm.entrypoints.openai.api_server
    import vllm.model_executor.layers.quantization.online.base
    import vllm.model_executor.models.gemma3
    import vllm.model_executor.models.llama
    import vllm.model_executor.models.qwen2
    import vllm.model_executor.models.qwen3
    import vllm.v1.engine.core
    import vllm.v1.worker.cpu_model_runner
    import vllm.v1.worker.cpu_worker

    note_shared_memory()
    zeros = torch.zeros
    # Nobody reads the caches, and what is not written to takes no memory and no time.
    torch.zeros = lambda *size, **more: (torch.empty if more.get('dtype') is torch.int8 else zeros)(*size, **more)
    # What is shared with the forks stays so: collecting garbage would write to all of it.
    gc.collect()
    gc.freeze()

    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps({'name': case['name'], **run(case)}), file=out, flush=True)


main()
