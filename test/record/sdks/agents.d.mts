/** The agents that are light, and all of them. */
export const LIGHT: ReadonlyArray<string>
export const ALL: ReadonlyArray<string>
/** What each agent says, streamed and not. */
export const say: (
  modules: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
  fetch?: typeof globalThis.fetch,
) => Promise<Readonly<Record<string, string>>>
