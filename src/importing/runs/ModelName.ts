/** Names of models as LiteLLM and Inspect write them: `provider/model`. */

/** The provider of a model, and its name there. A name alone is of an unknown provider. */
export const named = (name: string): { readonly provider: string; readonly model: string } => {
  const slash = name.indexOf("/")
  return slash < 1 || slash === name.length - 1
    ? { provider: "unknown", model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}
