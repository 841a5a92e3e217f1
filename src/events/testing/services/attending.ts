/** Conformance tests of presence: each writer has an identity, and a backend knows which ones live. */

import { Context, Effect, Exit, Scope } from "effect"
import { expect } from "vitest"
import { Presence } from "../../log/Presence.ts"
import { isEventId, newId } from "../../vocabulary/Event.ts"
import { type Backend, type BackendTest, newLog, twoOpen } from "./backend.ts"

/** How long to watch an unknown writer, in milliseconds. */
const WATCHED_MS = 50

export const attending = <At>(test: BackendTest, backend: Backend<Presence, At>): void => {
  test(
    "writers of one process have identities of their own, and others see each as alive while it writes",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const [here, there] = [Context.get(one, Presence), Context.get(two, Presence)]
      const life = yield* Scope.make()
      const brief = yield* Scope.extend(here.announce, life)
      const identities = [brief, yield* here.announce, yield* there.announce]
      expect(identities.every(isEventId)).toBe(true)
      expect(new Set(identities).size).toBe(3)
      for (const identity of identities) {
        expect([yield* here.stateOf(identity), yield* there.watch(identity, WATCHED_MS)]).toEqual(["alive", "alive"])
      }
      yield* Scope.close(life, Exit.void)
      expect(yield* there.stateOf(brief)).not.toBe("alive")
      expect(yield* there.watch(brief, WATCHED_MS)).toBe("gone")
      for (const identity of identities.slice(1)) expect(yield* there.stateOf(identity)).toBe("alive")
    }),
  )

  test(
    "a writer that nobody knows is not alive, and once it was watched it is gone",
    Effect.gen(function* () {
      const { open } = yield* newLog(backend)
      const presence = Context.get(yield* open, Presence)
      const identity = newId()
      expect(yield* presence.stateOf(identity)).not.toBe("alive")
      expect(yield* presence.watch(identity, WATCHED_MS)).toBe("gone")
    }),
  )

  test(
    "forgetting a writer that is gone leaves the others alive",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const [here, there] = [Context.get(one, Presence), Context.get(two, Presence)]
      const gone = yield* Effect.scoped(here.announce)
      const alive = yield* here.announce
      yield* there.forget([gone, newId()])
      expect(yield* there.stateOf(alive)).toBe("alive")
      expect(yield* there.watch(gone, WATCHED_MS)).toBe("gone")
    }),
  )

  const { crash } = backend
  if (crash === undefined) return
  test(
    "a writer that was killed is gone, and one that came later in the same process is alive",
    Effect.gen(function* () {
      const { at, one, two } = yield* twoOpen(backend)
      const dead = yield* Context.get(one, Presence).announce
      yield* crash(at)
      const alive = yield* Context.get(one, Presence).announce
      const { stateOf, watch } = Context.get(two, Presence)
      expect(yield* stateOf(dead)).not.toBe("alive")
      expect(yield* watch(dead, WATCHED_MS)).toBe("gone")
      expect(yield* stateOf(alive)).toBe("alive")
    }),
  )
}
