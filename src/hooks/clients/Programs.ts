/** How a person starts each client with a first prompt, by its own help. */

export interface ClientProgram {
  /** The name of the client, as in `Clients`. */
  readonly name: string
  /** The program on the `PATH`. */
  readonly program: string
  /** The option that names a model. */
  readonly model: string
  /** The words before the first prompt. */
  readonly before: ReadonlyArray<string>
}

export const all = [
  { name: "claude-code", program: "claude", model: "--model", before: [] },
  { name: "codex", program: "codex", model: "-m", before: [] },
  { name: "gemini-cli", program: "gemini", model: "-m", before: ["-i"] },
  { name: "copilot", program: "copilot", model: "--model", before: ["-i"] },
  { name: "opencode", program: "opencode", model: "-m", before: ["--prompt"] },
  { name: "qwen", program: "qwen", model: "-m", before: ["-i"] },
] as const satisfies ReadonlyArray<ClientProgram>

export const named = (name: string): ClientProgram | undefined => all.find((one) => one.name === name)

/** The words that start a session, without the first prompt, which comes last. */
export const words = ({ program, model, before }: ClientProgram, chosen: string | undefined): ReadonlyArray<string> => [
  program,
  ...(chosen === undefined ? [] : [model, chosen]),
  ...before,
]
