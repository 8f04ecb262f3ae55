import type { Rule } from '../rule';
import { ENGINE_RULES } from './engine';
import { RANK_RULES } from './ranks';

export const VLLM_RULES: readonly Rule[] = [...ENGINE_RULES, ...RANK_RULES];
