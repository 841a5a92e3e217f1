/** Model names as LiteLLM and Inspect write them: `provider/model`. */

/** Splits a name; without a slash, the provider is unknown. */
export const named = (name: string): { readonly provider: string; readonly model: string } => {
  const slash = name.indexOf("/")
  return slash < 1 || slash === name.length - 1
    ? { provider: "unknown", model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}
