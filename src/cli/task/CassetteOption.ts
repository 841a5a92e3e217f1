/** The option `--cassette`: a file that answers in place of a model's provider. */
import { Effect } from "effect"
import * as Cassette from "../../agents/models/Cassette.ts"
import * as Models from "../../agents/models/Models.ts"
import * as ScriptedTurns from "../../agents/models/ScriptedTurns.ts"
import { optionalText } from "../command/CommonOptions.ts"

/** The option. */
export const cassette = optionalText(
  "cassette",
  "Of an agent with --model: a cassette that answers in place of the provider, offline and without a key",
)

const PREFIX = `${ScriptedTurns.PROVIDER}/`

/** The path that a compatible server's conversations end with, after its base URL. */
const COMPLETIONS = "/chat/completions"

/**
 * The model of a name, whose requests a cassette answers. A request that is not on it fails as `not-recorded`.
 *
 * @param name `provider/model`; of a cassette with turns written for no provider, `scripted/…`
 */
export const play = (file: string, name: string) =>
  Effect.gen(function* () {
    if (name.startsWith(PREFIX)) return yield* ScriptedTurns.play(file, name.slice(PREFIX.length))
    const playing = yield* Cassette.play(file)
    return yield* Models.load(name, { ...playing, ...(yield* serverOf(file, name)) })
  })

/** A compatible server has no URL of its own: that of the recording is in its paths. */
const serverOf = (file: string, name: string) =>
  Effect.map(Cassette.read(file), ({ interactions: [first] }) => {
    const path = first?.request.path ?? ""
    return name.startsWith("openai-compatible/") && path.endsWith(COMPLETIONS)
      ? { baseURL: `http://cassette.invalid${path.slice(0, -COMPLETIONS.length)}` }
      : {}
  })
