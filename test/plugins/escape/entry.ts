import { type Attempts, codeOf } from "./attempts/Attempt.ts"

/** How long an attempt may take, in milliseconds. */
const ATTEMPT_MS = 8_000

/** A module that makes attempts, each once it is asked for by its name. */
const maker = (attempts: Attempts): string => `
const { inspect } = Deno
const attempts = {
${Object.entries(attempts)
  .map(([name, attempt]) => `${JSON.stringify(name)}: async (at) => { ${codeOf(attempt)} },`)
  .join("\n")}
}
const show = (value) => {
  if (typeof value === "string") return value
  return value instanceof Error ? value.name + ": " + value.message + (value.cause ? "; " + show(value.cause) : "") : inspect(value)
}
export const make = async (name, at) => {
  let timer
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve({ did: "hung", value: "" }), ${ATTEMPT_MS}) })
  const made = attempts[name](at).then(
    (value) => ({ did: "returned", value: show(value).slice(0, 100000) }),
    (error) => ({ did: "threw", value: show(error).slice(0, 100000) }))
  try { return await Promise.race([made, late]) } finally { clearTimeout(timer) }
}`

/** A plugin's entry. */
export const pluginEntry = (attempts: Attempts): string => `${maker(attempts)}
export default { actuators: { attempt: (ctx, { name, at }) => make(name, at) } }`

/** A program that makes attempts with nothing to hold it: a line in, a line out. */
export const freeProgram = (attempts: Attempts): string => `${maker(attempts)}
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
let text = ""
for await (const chunk of lines) {
  text += chunk
  for (let end = text.indexOf("\\n"); end >= 0; end = text.indexOf("\\n")) {
    const { name, at } = JSON.parse(text.slice(0, end))
    text = text.slice(end + 1)
    Deno.stdout.writeSync(new TextEncoder().encode("\\n=" + JSON.stringify(await make(name, at)) + "\\n"))
  }
}`
