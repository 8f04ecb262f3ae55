/** Whether a text is one that a tool has yet to fill in: `${SIZE}`, `{{ .Values.size }}`, `<size>`. */
export function isPlaceholder(text: string): boolean {
  return /[${}<>]/.test(text);
}
