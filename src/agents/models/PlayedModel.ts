/** Models whose answers come from a cassette, without a provider and a key. */

import { Effect } from "effect"
import * as Cassette from "./Cassette.ts"
import type { Model } from "./Model.ts"
import * as Models from "./Models.ts"
import * as ScriptedTurns from "./ScriptedTurns.ts"

const PREFIX = `${ScriptedTurns.PROVIDER}/`

/** The end of a compatible server's paths, after its base URL. */
const COMPLETIONS = "/chat/completions"

/**
 * The named model, whose requests a cassette answers. A request that the cassette lacks fails as `not-recorded`.
 *
 * @param name `provider/model`; for a cassette of turns written for no provider, `scripted/…`
 */
export const played = (
  file: string,
  name: string,
): Effect.Effect<Model, Cassette.UnreadableCassette | Effect.Effect.Error<ReturnType<typeof Models.load>>> =>
  Effect.gen(function* () {
    if (name.startsWith(PREFIX)) return yield* ScriptedTurns.play(file, name.slice(PREFIX.length))
    const playing = yield* Cassette.play(file)
    return yield* Models.load(name, { ...playing, ...(yield* serverOf(file, name)) })
  })

/** The base URL of a compatible server, from the recorded paths: such a provider has no URL of its own. */
const serverOf = (file: string, name: string) =>
  Effect.map(Cassette.read(file), ({ interactions: [first] }) => {
    const path = first?.request.path ?? ""
    return name.startsWith("openai-compatible/") && path.endsWith(COMPLETIONS)
      ? { baseURL: `http://cassette.invalid${path.slice(0, -COMPLETIONS.length)}` }
      : {}
  })
