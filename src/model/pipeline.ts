/* Made by scripts/pipeline-models.py from vLLM 0.32.0. */

/** Words that are taken apart when somebody asks for one. */
function words(text: string): { has(word: string): boolean } {
  let set: Set<string> | undefined;
  return { has: (word) => (set ??= new Set(text.trim().split(/\s+/))).has(word) };
}

/** Model classes that vLLM has. */
export const KNOWN_ARCHITECTURES = words(`
  AXK1ForCausalLM AfmoeForCausalLM ApertusForCausalLM ArceeForCausalLM AriaForConditionalGeneration
  AudioFlamingo3ForConditionalGeneration BagelForConditionalGeneration BailingMoeForCausalLM BailingMoeV25MTPModel
  BailingMoeV2ForCausalLM BailingMoeV2_5ForCausalLM BailingMoeV3ForCausalLM BailingMoeV3MTPModel
  BailingMoeV3VLForConditionalGeneration BeeForConditionalGeneration BertForMaskedLM BertForSequenceClassification
  BertForTokenClassification BertModel BertSpladeSparseEmbeddingModel BgeM3EmbeddingModel
  Blip2ForConditionalGeneration BloomForCausalLM CLIPModel ChatGLMForConditionalGeneration ChatGLMModel
  ClefOmniForJointSchema Cohere2ForCausalLM Cohere2MoeForCausalLM Cohere2VisionForConditionalGeneration
  CohereAsrForConditionalGeneration CohereCompassForConditionalGeneration CohereForCausalLM ColBERTJinaRobertaModel
  ColBERTLfm2Model ColBERTModernBertModel ColModernVBertForRetrieval ColPaliForRetrieval ColQwen3 ColQwen3_5
  Cosmos3EdgeForConditionalGeneration Cosmos3ForConditionalGeneration CwmForCausalLM DFlash2DraftModel
  DFlashDraftModel DFlashLagunaForCausalLM DFlashMuseGlimmerAssistantModel DSparkDraftModel DSparkV41DraftModel
  DbrxForCausalLM DeciLMForCausalLM DeepSeekMTPModel DeepSeekV4MTPModel DeepseekForCausalLM DeepseekOCR2ForCausalLM
  DeepseekOCRForCausalLM DeepseekV2ForCausalLM DeepseekV32ForCausalLM DeepseekV32MTPModel
  DeepseekV3BidirectionalModel DeepseekV3ForCausalLM DeepseekV41ForCausalLM DeepseekV4ForCausalLM
  DeepseekV4ForConditionalGeneration DeepseekVLV2ForCausalLM DiffusionGemmaForBlockDiffusion Dots3NoteForCausalLM
  Dots3NoteMTPModel DotsOCRForCausalLM Eagle2_5_VLForConditionalGeneration Eagle3DeepseekV2ForCausalLM
  Eagle3DeepseekV3ForCausalLM Eagle3LlamaForCausalLM Eagle3MiniMaxM2ForCausalLM Eagle3Qwen2_5vlForCausalLM
  Eagle3Qwen3ForCausalLM Eagle3Qwen3vlForCausalLM EagleCohereForCausalLM EagleDeepSeekMTPModel
  EagleLlama4ForCausalLM EagleLlamaForCausalLM EagleMiniCPMForCausalLM EagleMistralForCausalLM
  EagleMistralLarge3ForCausalLM EmbeddingGemma2Model Emu3ForConditionalGeneration Ernie4_5ForCausalLM
  Ernie4_5_MoeForCausalLM Ernie4_5_VLMoeForConditionalGeneration ErnieMTPModel Exaone4ForCausalLM
  Exaone4_5_ForConditionalGeneration Exaone4_5_MTP ExaoneForCausalLM ExaoneMoEForCausalLM ExaoneMoeForCausalLM
  ExaoneMoeMTP ExtractHiddenStatesModel FalconForCausalLM FalconH1ForCausalLM FalconMambaForCausalLM
  FireRedASR2ForConditionalGeneration FlexOlmoForCausalLM FunASRForConditionalGeneration
  FunAudioChatForConditionalGeneration GLM4VForCausalLM GPT2ForSequenceClassification GPT2LMHeadModel
  GPTBigCodeForCausalLM GPTJForCausalLM GPTNeoXForCausalLM Gemma2ForCausalLM Gemma2Model Gemma3ForCausalLM
  Gemma3ForConditionalGeneration Gemma3TextModel Gemma3nForCausalLM Gemma3nForConditionalGeneration
  Gemma4DSparkModel Gemma4ForCausalLM Gemma4ForConditionalGeneration Gemma4MTPModel
  Gemma4UnifiedForConditionalGeneration GemmaForCausalLM Glm4ForCausalLM Glm4MoeForCausalLM Glm4MoeLiteForCausalLM
  Glm4MoeLiteMTPModel Glm4MoeMTPModel Glm4vForConditionalGeneration Glm4vMoeForConditionalGeneration
  Glm5NextForCausalLM Glm5NextForConditionalGeneration Glm5NextMTPModel GlmAsrForConditionalGeneration
  GlmForCausalLM GlmMoeDsaForCausalLM GlmOcrForConditionalGeneration GlmOcrMTPModel GptOssForCausalLM
  Granite4VisionForConditionalGeneration GraniteForCausalLM GraniteMoeForCausalLM GraniteMoeHybridForCausalLM
  GraniteMoeSWAForCausalLM GraniteMoeSharedForCausalLM GraniteSWAForCausalLM GraniteSpeechForConditionalGeneration
  GraniteSpeechPlusForConditionalGeneration GteModel GteNewForSequenceClassification GteNewModel H2OVLChatModel
  HCXVisionV2ForCausalLM HF_ColBERT HYV3ForCausalLM HYV3MTPModel HYV4ForCausalLM HYV4MTPModel HfMoondream
  HrmTextForCausalLM HunYuanDenseV1ForCausalLM HunYuanMoEV1ForCausalLM HunYuanVLForConditionalGeneration
  HyperCLOVAXForCausalLM IQuestCoderForCausalLM IQuestLoopCoderForCausalLM Idefics3ForConditionalGeneration
  InklingForCausalLM InklingForConditionalGeneration InklingMTPModel InternLM2ForCausalLM InternLM2ForRewardModel
  InternLM3ForCausalLM InternS1ForConditionalGeneration InternS1ProForConditionalGeneration
  InternS2MobiusForConditionalGeneration InternS2MobiusMTP InternS2PreviewForConditionalGeneration InternVLChatModel
  InternVLForConditionalGeneration IsaacForConditionalGeneration Jais2ForCausalLM JambaForCausalLM
  JambaForSequenceClassification JinaEmbeddingsV5Model JinaForRanking JinaVLForRanking K2HorizonForCausalLM
  K3DSparkModel KananaVForConditionalGeneration KeyeForConditionalGeneration KeyeVL1_5ForConditionalGeneration
  KimiK25ForConditionalGeneration KimiK3ForConditionalGeneration KimiK3MTPModel KimiLinearForCausalLM
  KimiVLForConditionalGeneration LLaMAForCausalLM LagunaForCausalLM Lfm2ForCausalLM Lfm2MoeForCausalLM
  Lfm2VlForConditionalGeneration LiLiCorrDraftModel LightOnOCRForConditionalGeneration Llama4ForCausalLM
  Llama4ForConditionalGeneration LlamaBidirectionalForSequenceClassification LlamaBidirectionalModel
  LlamaForCausalLM LlamaForCausalLMEagle3 LlamaModel LlamaNemotronVLForSequenceClassification LlamaNemotronVLModel
  Llama_Nemotron_Nano_VL LlavaForConditionalGeneration LlavaNextForConditionalGeneration
  LlavaNextVideoForConditionalGeneration LlavaOnevision2ForConditionalGeneration
  LlavaOnevisionForConditionalGeneration LongCatFlashMTPModel LongcatFlashForCausalLM LongcatFlashNgramForCausalLM
  Mamba2ForCausalLM MambaForCausalLM MedusaModel MellumForCausalLM MiDashengLMModel MiMoForCausalLM MiMoMTPModel
  MiMoV2FlashForCausalLM MiMoV2ForCausalLM MiMoV2MTPModel MiMoV2OmniForCausalLM MiMoV2OmniMTPModel
  MiniCPM3ForCausalLM MiniCPMForCausalLM MiniCPMO MiniCPMV MiniCPMV4_6ForConditionalGeneration
  MiniCPMV4_7ForConditionalGeneration MiniMaxM2ForCausalLM MiniMaxM3MTP MiniMaxM3SparseForCausalLM
  MiniMaxM3SparseForConditionalGeneration Ministral3ForCausalLM Mistral3ForConditionalGeneration MistralForCausalLM
  MistralLarge3ForCausalLM MistralModel MixtralForCausalLM ModernBertForSequenceClassification
  ModernBertForTokenClassification ModernBertModel Molmo2ForConditionalGeneration MolmoForCausalLM
  Moondream3ForCausalLM MoonshotKimiaForCausalLM MossAudioModel MossTranscribeDiarizeForConditionalGeneration
  MuseGlimmerAssistantModel MuseGlimmerForCausalLM MuseGlimmerForConditionalGeneration NVLM_D NanbeigeForCausalLM
  NemotronForCausalLM NemotronHForCausalLM NemotronHMTPModel NemotronHPuzzleForCausalLM
  NemotronH_Nano_Omni_Reasoning_V3 NemotronH_Nano_VL_V2 NemotronH_Omni_Reasoning_V3
  NemotronH_Super_Omni_Reasoning_V3 NemotronParseForConditionalGeneration NomicBertModel OPTForCausalLM
  Olmo2ForCausalLM Olmo3ForCausalLM OlmoForCausalLM OlmoHybridForCausalLM OlmoeForCausalLM
  OpenAIPrivacyFilterForTokenClassification OpenCUAForConditionalGeneration OpenPanguMTPModel
  OpenPanguVLForConditionalGeneration OpenVLAForActionPrediction OpsColQwen3Model OrionForCausalLM Ovis Ovis2_5
  Ovis2_6ForCausalLM Ovis2_6_MoeForCausalLM PEagleDraftModel PaddleOCRVLForConditionalGeneration
  PaliGemmaForConditionalGeneration PanguEmbeddedForCausalLM PanguProMoEV2ForCausalLM PanguUltraMoEForCausalLM
  Param2MoEForCausalLM PeagleLlamaForCausalLM PeagleQwen3ForCausalLM Phi3ForCausalLM Phi3VForCausalLM
  Phi4ForCausalLMV Phi4MMForCausalLM PhiForCausalLM PhiMoEForCausalLM PixtralForConditionalGeneration
  Plamo3ForCausalLM QianfanOCRForConditionalGeneration Qwen2AudioForConditionalGeneration Qwen2ForCausalLM
  Qwen2ForProcessRewardModel Qwen2ForRewardModel Qwen2Model Qwen2MoeForCausalLM Qwen2VLForConditionalGeneration
  Qwen2_5OmniForConditionalGeneration Qwen2_5OmniModel Qwen2_5_VLForConditionalGeneration
  Qwen3ASRForConditionalGeneration Qwen3ASRForcedAlignerForTokenClassification Qwen3ASRRealtimeGeneration
  Qwen3DSparkModel Qwen3ForCausalLM Qwen3MoeForCausalLM Qwen3NextForCausalLM Qwen3NextMTP Qwen3OmniDSparkModel
  Qwen3OmniMoeForConditionalGeneration Qwen3VLForConditionalGeneration Qwen3VLMoeForConditionalGeneration
  Qwen3VLNemotronEmbedModel Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MTP Qwen3_5MoeForCausalLM
  Qwen3_5MoeForConditionalGeneration Qwen3_5MoeMTP Qwen4ExpForCausalLM Qwen4ExpForConditionalGeneration Qwen4ExpMTP
  RForConditionalGeneration Rnj1ForCausalLM RobertaForMaskedLM RobertaForSequenceClassification
  RobertaForTokenClassification RobertaModel SarvamMLAForCausalLM SarvamMoEForCausalLM SeedOssForCausalLM
  SiglipModel SkyworkR1VChatModel SmolLM3ForCausalLM SmolVLMForConditionalGeneration SolarForCausalLM
  StableLmForCausalLM Starcoder2ForCausalLM Step1ForCausalLM Step3TextForCausalLM Step3VLForConditionalGeneration
  Step3p5ForCausalLM Step3p5MTP Step3p7ForConditionalGeneration StepVLForConditionalGeneration TeleChat2ForCausalLM
  TeleChat3ForCausalLM TeleFLMForCausalLM Terratorch TransformersEmbeddingModel TransformersForCausalLM
  TransformersForSequenceClassification TransformersMoEEmbeddingModel TransformersMoEForCausalLM
  TransformersMoEForSequenceClassification TransformersMultiModalEmbeddingModel TransformersMultiModalForCausalLM
  TransformersMultiModalForSequenceClassification TransformersMultiModalMoEForCausalLM UltravoxModel
  UnlimitedOCRForCausalLM VaultGemmaForCausalLM VibeVoiceAsrForConditionalGeneration VoxtralForConditionalGeneration
  VoxtralRealtimeGeneration VoyageQwen3BidirectionalEmbedModel WhisperForConditionalGeneration
  XLMRobertaForSequenceClassification XLMRobertaForTokenClassification XLMRobertaModel Zamba2ForCausalLM
`);

/** Those that vLLM cannot split into pipeline stages. */
export const NO_PIPELINE = words(`
  AriaForConditionalGeneration BailingMoeV25MTPModel BertForMaskedLM BertForSequenceClassification
  BertForTokenClassification BertModel BertSpladeSparseEmbeddingModel BgeM3EmbeddingModel CLIPModel
  CohereAsrForConditionalGeneration ColBERTJinaRobertaModel ColBERTLfm2Model ColBERTModernBertModel
  ColModernVBertForRetrieval DFlash2DraftModel DFlashDraftModel DFlashLagunaForCausalLM
  DFlashMuseGlimmerAssistantModel DSparkDraftModel DSparkV41DraftModel DeepSeekV4MTPModel
  DeepseekV4ForConditionalGeneration DiffusionGemmaForBlockDiffusion Dots3NoteForCausalLM Dots3NoteMTPModel
  Eagle3DeepseekV2ForCausalLM Eagle3DeepseekV3ForCausalLM Eagle3LlamaForCausalLM Eagle3MiniMaxM2ForCausalLM
  Eagle3Qwen2_5vlForCausalLM Eagle3Qwen3ForCausalLM Eagle3Qwen3vlForCausalLM EagleCohereForCausalLM
  EagleDeepSeekMTPModel EagleLlama4ForCausalLM EagleLlamaForCausalLM EagleMiniCPMForCausalLM EagleMistralForCausalLM
  EagleMistralLarge3ForCausalLM EmbeddingGemma2Model ErnieMTPModel Exaone4_5_MTP ExaoneMoeMTP
  ExtractHiddenStatesModel FireRedASR2ForConditionalGeneration FunASRForConditionalGeneration
  GPT2ForSequenceClassification Gemma3TextModel Gemma3nForCausalLM Gemma3nForConditionalGeneration Gemma4DSparkModel
  Gemma4MTPModel Glm4MoeMTPModel Glm5NextMTPModel GteModel GteNewForSequenceClassification GteNewModel HF_ColBERT
  HYV3MTPModel HYV4MTPModel HrmTextForCausalLM IQuestLoopCoderForCausalLM Idefics3ForConditionalGeneration
  InklingMTPModel JinaForRanking K3DSparkModel KimiK3MTPModel LiLiCorrDraftModel LlamaForCausalLMEagle3
  LongCatFlashMTPModel Mamba2ForCausalLM MedusaModel MiMoMTPModel MiMoV2MTPModel MiMoV2OmniMTPModel MiniMaxM3MTP
  ModernBertForSequenceClassification ModernBertForTokenClassification ModernBertModel MuseGlimmerAssistantModel
  NemotronH_Nano_Omni_Reasoning_V3 NemotronH_Nano_VL_V2 NemotronH_Omni_Reasoning_V3
  NemotronH_Super_Omni_Reasoning_V3 NemotronParseForConditionalGeneration NomicBertModel
  OpenAIPrivacyFilterForTokenClassification OpenPanguMTPModel PEagleDraftModel PaddleOCRVLForConditionalGeneration
  PeagleLlamaForCausalLM PeagleQwen3ForCausalLM Phi4MMForCausalLM Qwen3DSparkModel Qwen3NextMTP Qwen3OmniDSparkModel
  RobertaForMaskedLM RobertaForSequenceClassification RobertaForTokenClassification RobertaModel SiglipModel
  SmolVLMForConditionalGeneration Step3p5MTP Terratorch VoyageQwen3BidirectionalEmbedModel
  WhisperForConditionalGeneration XLMRobertaForSequenceClassification XLMRobertaForTokenClassification
  XLMRobertaModel Zamba2ForCausalLM
`);

/** Classes that vLLM no longer has, with the last release that had them. */
export const REMOVED_ARCHITECTURES: Readonly<Record<string, string>> = {
  AquilaForCausalLM: '0.24.0',
  AquilaModel: '0.24.0',
  ArcticForCausalLM: '0.28.0',
  AyaVisionForConditionalGeneration: '0.24.0',
  BaiChuanForCausalLM: '0.23.0',
  BaichuanForCausalLM: '0.23.0',
  BambaForCausalLM: '0.23.0',
  ChameleonForConditionalGeneration: '0.28.0',
  Cheers: '0.28.0',
  CheersForConditionalGeneration: '0.28.0',
  DonutForConditionalGeneration: '0.10.2',
  Dots1ForCausalLM: '0.23.0',
  ErnieForSequenceClassification: '0.23.0',
  ErnieForTokenClassification: '0.23.0',
  ErnieModel: '0.23.0',
  Fairseq2LlamaForCausalLM: '0.28.0',
  FireRedLIDForConditionalGeneration: '0.28.0',
  FuyuForCausalLM: '0.25.0',
  GritLM: '0.28.0',
  Grok1ForCausalLM: '0.24.0',
  Grok1ModelForCausalLM: '0.24.0',
  HCXVisionForCausalLM: '0.28.0',
  InternLM2VEForCausalLM: '0.23.0',
  InternLMForCausalLM: '0.23.0',
  JAISLMHeadModel: '0.22.0',
  MPTForCausalLM: '0.28.0',
  MantisForConditionalGeneration: '0.24.0',
  MiniMaxForCausalLM: '0.23.0',
  MiniMaxM1ForCausalLM: '0.23.0',
  MiniMaxText01ForCausalLM: '0.23.0',
  MiniMaxVL01ForConditionalGeneration: '0.23.0',
  MllamaForConditionalGeneration: '0.10.2',
  MotifForCausalLM: '0.10.2',
  MptForCausalLM: '0.28.0',
  MusicFlamingoForConditionalGeneration: '0.24.0',
  OuroForCausalLM: '0.26.0',
  PersimmonForCausalLM: '0.25.0',
  Phi3SmallForCausalLM: '0.9.2',
  Phi4FlashForCausalLM: '0.10.2',
  Phi4MultimodalForCausalLM: '0.12.0',
  Plamo2ForCausalLM: '0.26.0',
  PrithviGeoSpatialMAE: '0.28.0',
  QWenLMHeadModel: '0.23.0',
  QwenVLForConditionalGeneration: '0.23.0',
  RWForCausalLM: '0.28.0',
  StableLMEpochForCausalLM: '0.28.0',
  Tarsier2ForConditionalGeneration: '0.23.0',
  TarsierForConditionalGeneration: '0.24.0',
  TeleChatForCausalLM: '0.25.0',
  XverseForCausalLM: '0.23.0',
};
