/**
 * Whether a text is a URL, alone or against a base. `URL.canParse` of Node 20 denies it, once V8 has optimised the
 * caller, for texts with characters from U+0080 to U+00FF.
 */
export const canParseUrl = (text: string, base?: string): boolean => {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}
