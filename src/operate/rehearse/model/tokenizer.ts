/** Tokens that mean something to a chat; their ids are their places. */
const SPECIAL = ['<pad>', '<eos>', '<bos>', '<unk>', '<start_of_turn>', '<end_of_turn>'] as const;
export const TOKEN_IDS = { pad: 0, eos: 1, bos: 2, endOfTurn: 5 } as const;
/** Ids there are: those of the special tokens, and of the 256 bytes. More would be tokens without a text. */
export const VOCABULARY_SIZE = SPECIAL.length + 256;

const TEMPLATE =
  "{{ bos_token }}{% for message in messages %}{{ '<start_of_turn>' + message['role'] + '\\n' }}" +
  "{% if message['content'] is string %}{{ message['content'] }}" +
  "{% else %}{{ message['content'] | map(attribute='text') | join('') }}{% endif %}" +
  "{{ '<end_of_turn>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>assistant\\n' }}{% endif %}";

/** The files of a tokenizer that has a token for each byte, so that every text makes the round trip. */
export function tokenizerFiles(): Readonly<Record<string, string>> {
  const letters = byteLetters();
  const vocabulary = Object.fromEntries([...SPECIAL, ...letters].map((token, id) => [token, id]));
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: vocabulary,
      merges: [],
    },
  };
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: '<bos>',
    eos_token: '<eos>',
    pad_token: '<pad>',
    unk_token: '<unk>',
    chat_template: TEMPLATE,
  };
  return { 'tokenizer.json': JSON.stringify(tokenizer), 'tokenizer_config.json': JSON.stringify(config) };
}

/** The letter that byte-level tokenizers write for each byte: itself where it can be seen, else one from 256 on. */
function byteLetters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isSeen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 255 && byte !== 173);
    return String.fromCharCode(isSeen ? byte : next++);
  });
}
