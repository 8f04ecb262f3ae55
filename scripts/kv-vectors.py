"""Writes test/fixtures/kv-vectors-code-VERSION.tsv: what vLLM's own code answers about made-up models.

Usage: python3 scripts/kv-vectors.py [ROWS [SEED]] > test/fixtures/kv-vectors-code-VERSION.tsv

Runs `get_kv_cache_configs` of vllm/v1/core/kv_cache_utils.py, so it takes a Python in which that vLLM is installed; no
engine is started and no model is read. The cases are drawn at random: always the same ones for the same seed, which is
the version of vLLM unless one is given.
"""
import itertools
import logging
import random
import sys
from types import SimpleNamespace

import torch
import vllm
from vllm.model_executor.layers.attention.attention import _largest_kernel_block_within
from vllm.v1.attention.backends.cpu_attn import CPUAttentionBackend
from vllm.v1.core import kv_cache_utils
from vllm.v1.kv_cache_interface import (
    ChunkedLocalAttentionSpec,
    FullAttentionSpec,
    MLAAttentionSpec,
    SlidingWindowSpec,
)

DTYPES = {1: torch.float8_e4m3fn, 2: torch.bfloat16, 4: torch.float32}
COLUMNS = (
    'kinds heads head_size sliding_heads sliding_head_size latent shared window partition tp block bytes_per_number '
    'length in_flight hybrid kv_bytes groups block_sizes blocks_per_request bytes_per_block blocks tokens '
    'concurrency longest'
).split()


def runs(kinds):
    """Letters with their counts: ssssf becomes s4f1."""
    return ''.join(f'{kind}{len(list(run))}' for kind, run in itertools.groupby(kinds))


def layer_kinds(rng):
    count = rng.choice([rng.randint(1, 12), rng.randint(1, 40), rng.randint(1, 130)])
    other = rng.choice('sssc')
    shape = rng.randrange(7)
    if shape == 0:
        return 'f' * count
    if shape == 1:
        return other * count
    if shape in (2, 3):
        every = rng.randint(2, 8)
        return ''.join('f' if (i + 1) % every == 0 else other for i in range(count))
    if shape == 4:
        # Counts near the factor of 1.5 that decides how many layers a group gets.
        few = rng.randint(1, 50)
        many = max(1, few * 3 // 2 + rng.randint(-1, 1))
        kinds = ['f'] * few + [other] * many
        if rng.random() < 0.5:
            kinds = [other if kind == 'f' else 'f' for kind in kinds]
        rng.shuffle(kinds)
        return ''.join(kinds)
    share = rng.random()
    return ''.join('f' if rng.random() < share else other for _ in range(count))


def split(rng, layers):
    stages = min(layers, rng.choice([1, 1, 1, 2, 2, 3, 4, rng.randint(1, 8)]))
    if rng.random() < 0.5:
        cuts = sorted(rng.sample(range(1, layers), stages - 1))
        return [b - a for a, b in itertools.pairwise([0, *cuts, layers])]
    base, more = divmod(layers, stages)
    return [base + (stages - 2 - more < i <= stages - 2) for i in range(stages)]


def case(rng):
    kinds = layer_kinds(rng)
    row = dict(kinds=kinds, tp=rng.choice([1, 1, 1, 2, 4, 8]), block=32 * rng.choice([1, 2, 3, 4, 4, 4, 5, 8, 16]))
    if rng.random() < 0.1:
        row['block'] = rng.choice([1, 8, 16, 24, 40, 48, 80])
    row.update(heads=rng.choice([1, 2, 3, 4, 8, 16]), head_size=rng.choice([32, 64, 80, 96, 128, 192, 256, 512]))
    row.update(sliding_heads=row['heads'], sliding_head_size=row['head_size'], latent=0, shared=0)
    if rng.random() < 0.25:
        row.update(sliding_heads=rng.choice([1, 2, 4, 8, 16]), sliding_head_size=rng.choice([64, 80, 128, 256]))
    if rng.random() < 0.08:
        row.update(kinds='f' * len(kinds), latent=rng.choice([64, 320, 576]), block=16)
    row['partition'] = split(rng, len(kinds))
    if len(row['partition']) == 1 and rng.random() < 0.15:
        row['shared'] = rng.randint(0, len(kinds) - 1)
    row['window'] = rng.choice([1, 2, 100, 128, 512, 1000, 1024, 4096, rng.randint(1, 9000)])
    row['length'] = rng.choice([1, 100, 1000, 2048, 3000, 4096, 8192, 32768, 131072, rng.randint(1, 50000)])
    row['in_flight'] = rng.choice([1, 64, 100, 256, 512, 2048, 4096, 8192, rng.randint(1, 20000)])
    row.update(bytes_per_number=rng.choice([1, 2, 2, 2, 4]), hybrid=rng.choice(['on', 'on', 'on', 'off']))
    return row


def specs_of(row):
    """The layers of each stage as a worker of one tensor-parallel rank reports them."""
    full = dict(block_size=row['block'], dtype=DTYPES[row['bytes_per_number']])
    # As `Attention.get_kv_cache_spec` chooses it for sliding layers; the bytes of a token cancel out.
    sliding = _largest_kernel_block_within(CPUAttentionBackend, 1, row['block'], row['block'])
    local = dict(full)
    full.update(num_kv_heads=max(1, row['heads'] // row['tp']), head_size=row['head_size'])
    local.update(num_kv_heads=max(1, row['sliding_heads'] // row['tp']), head_size=row['sliding_head_size'])
    if row['latent']:
        full.update(num_kv_heads=1, head_size=row['latent'])

    def spec(kind):
        if kind == 's':
            return SlidingWindowSpec(**{**local, 'block_size': sliding}, sliding_window=row['window'])
        if kind == 'c':
            return ChunkedLocalAttentionSpec(**local, attention_chunk_size=row['window'])
        return MLAAttentionSpec(**full) if row['latent'] else FullAttentionSpec(**full)

    own = len(row['kinds']) - row['shared']
    ends = list(itertools.accumulate(row['partition']))
    return [
        {f'layers.{i}': spec(row['kinds'][i]) for i in range(end - count, end) if i < own}
        for count, end in zip(row['partition'], ends)
    ]


def config_of(row):
    (layout,) = CPUAttentionBackend.supported_kv_cache_layouts()
    return SimpleNamespace(
        model_config=SimpleNamespace(max_model_len=row['length'], original_max_model_len=row['length']),
        parallel_config=SimpleNamespace(
            decode_context_parallel_size=1,
            prefill_context_parallel_size=1,
            pipeline_parallel_size=len(row['partition']),
            tensor_parallel_size=row['tp'],
        ),
        scheduler_config=SimpleNamespace(disable_hybrid_kv_cache_manager=row['hybrid'] == 'off'),
        attention_config=SimpleNamespace(hisparse_config=None),
        cache_config=SimpleNamespace(
            get_resolved_kv_cache_layout=lambda: layout,
            mamba_cache_mode='none',
            num_gpu_blocks_override=None,
            prefix_cache_retention_interval=None,
        ),
        speculative_config=None,
        kv_transfer_config=None,
        num_prefill_lookahead_tokens=0,
        max_in_flight_tokens=row['in_flight'],
    )


def groups_of(config, specs):
    merged = {name: spec for stage in specs for name, spec in stage.items()}
    groups = kv_cache_utils.get_kv_cache_groups(config, merged)
    return [kv_cache_utils._project_kv_cache_groups_to_worker(groups, stage) for stage in specs]


def answer(rng, row):
    """Adds what vLLM says; without blocks where it refuses the cache."""
    config, specs = config_of(row), specs_of(row)
    bytes_of = kv_cache_utils._pool_bytes_per_block
    per_stage = groups_of(config, specs)
    if bytes_of.__code__.co_argcount == 1:
        per_block = [bytes_of(groups) for groups in per_stage]
    else:
        per_block = [bytes_of(config, groups) for groups in per_stage]
    needed = [kv_cache_utils._max_memory_usage_bytes_from_groups(config, groups) for groups in per_stage]
    row['groups'] = len(per_stage[0])
    row['block_sizes'] = [group.kv_cache_spec.block_size for group in per_stage[0]]
    row['bytes_per_block'] = per_block
    (row['blocks_per_request'],) = {total // per for total, per in zip(needed, per_block)}
    minimum = max(total + per for total, per in zip(needed, per_block))
    row['kv_bytes'] = rng.choice(
        [
            *[minimum - 1, minimum, minimum + 1, minimum // 2],
            minimum * rng.randint(2, 50) + rng.randint(0, 1 << 20),
            1 << 30,
        ]
    )
    row['longest'] = min(
        kv_cache_utils._estimate_max_model_len_from_groups(config, groups, row['kv_bytes'] - per)
        for groups, per in zip(per_stage, per_block)
    )
    row.update(blocks='', tokens='', concurrency='')
    try:
        configs = kv_cache_utils.get_kv_cache_configs(config, specs, [row['kv_bytes']] * len(specs))
    except ValueError as error:
        assert 'To serve at least one request' in str(error) or 'No available memory' in str(error), error
        return row
    scheduler = kv_cache_utils.generate_scheduler_kv_cache_config(configs)
    tokens, concurrency = kv_cache_utils.get_kv_cache_capacity(config, scheduler)
    row.update(blocks=scheduler.num_blocks, tokens=tokens, concurrency=f'{concurrency:.2f}')
    return row


def cell(column, value):
    if column == 'kinds':
        return runs(value)
    if column == 'block_sizes':
        return ','.join(map(str, sorted(set(value))))
    return ','.join(map(str, value)) if isinstance(value, list) else str(value)


def main(rows=150, seed=None):
    version = vllm.__version__.split('+')[0]
    rng = random.Random(version if seed is None else seed)
    logging.disable(logging.CRITICAL)
    print(f'# Answers of the code of vLLM {version}, written by scripts/kv-vectors.py.')
    print('# kinds: f full, s sliding, c chunked, each with its count. Without blocks the cache was refused.')
    print('\t'.join(COLUMNS))
    for _ in range(rows):
        row = answer(rng, case(rng))
        print('\t'.join(cell(column, row[column]) for column in COLUMNS))


if __name__ == '__main__':
    main(*map(int, sys.argv[1:]))
