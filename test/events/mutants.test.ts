import { Context, Effect, Exit, Layer, Option, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { Any, EventLog, VersionConflict } from "../../src/events/log/EventLog.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { Presence } from "../../src/events/log/Presence.ts"
import { type Series, Snapshots } from "../../src/events/log/Snapshots.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { attending } from "../../src/events/testing/services/attending.ts"
import type { Backend, BackendTest } from "../../src/events/testing/services/backend.ts"
import { keeping } from "../../src/events/testing/services/keeping.ts"
import { leasing } from "../../src/events/testing/services/leasing.ts"
import { recording } from "../../src/events/testing/services/recording.ts"
import { snapshotting } from "../../src/events/testing/services/snapshotting.ts"
import { storing } from "../../src/events/testing/services/storing.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { sha256 } from "../../src/values/Digest.ts"
import { memory, sqliteFile } from "./backends.ts"
import * as FaultyLease from "./faultyLease.ts"

/** The tests that a suite declares. */
const testsOf = (suite: (test: BackendTest) => void) => {
  const tests: Array<{ readonly behaviour: string; readonly body: Parameters<BackendTest>[1] }> = []
  suite((behaviour, body) => tests.push({ behaviour, body }))
  return tests
}

/** The tests of a suite that fail, of those that a pattern names. */
const failing = async (suite: (test: BackendTest) => void, pattern: RegExp) => {
  const failed: Array<string> = []
  for (const { behaviour, body } of testsOf(suite).filter((test) => pattern.test(test.behaviour))) {
    const exit = await Effect.runPromiseExit(Effect.scoped(body))
    if (Exit.isFailure(exit)) failed.push(behaviour)
  }
  return failed
}

/** A backend in which one service is another. */
const changed = <Services, At, I extends Services, S>(
  backend: Backend<Services, At>,
  tag: Context.Tag<I, S>,
  change: (service: S, all: Context.Context<Services>) => S,
): Backend<Services, At> => ({
  ...backend,
  open: (at) =>
    Layer.map(backend.open(at), (services) =>
      Context.add(services, tag, change(Context.get(services, tag), services)),
    ) as ReturnType<typeof backend.open>,
})

/** A log in memory with a lease that outlives its holders, and has at most one fault. */
const leased = (fault?: FaultyLease.LeaseFault) => ({
  place: Effect.map(memory.place, (place) => ({ place, faulty: FaultyLease.make(fault) })),
  open: ({ place, faulty }: LeasedPlace) => Layer.merge(memory.open(place), Layer.succeed(Lease, faulty.lease)),
  crash: ({ faulty }: LeasedPlace) => faulty.crash,
  elsewhere: ({ faulty }: LeasedPlace) => faulty.elsewhere,
})

interface LeasedPlace {
  readonly place: Effect.Effect.Success<typeof memory.place>
  readonly faulty: ReturnType<typeof FaultyLease.make>
}

describe("the suite of the lease", () => {
  it("passes a lease without a fault", async () => {
    expect(await failing((test) => leasing(test, leased()), /./)).toEqual([])
  })

  it.each<[FaultyLease.LeaseFault, RegExp]>([
    ["two hold it", /^of many kernels that ask at once/],
    ["a refusal names nobody", /^a kernel that is refused learns who/],
    ["a release is forgotten", /^a released lease is free at once/],
    ["an identity is host and process", /^a released lease .* each acquisition has an identity of its own$/],
    ["a lost lease is not noticed", /^a kernel that lost the lease learns it/],
    ["the loser's end frees it", /^a kernel that lost the lease .* its end takes nothing/],
    ["a takeover names nobody", /^the lease of a dead kernel goes to one/],
    ["a dead holder keeps it", /^the lease of a dead kernel goes to one/],
    ["no heartbeat is sent", /^a holder sends heartbeats/],
    [
      "a silent holder loses it at once",
      /^a silent kernel elsewhere, whose clock is in 1970, keeps the lease for a while/,
    ],
    ["a silent holder keeps it", /^a silent kernel elsewhere, .* then loses it$/],
    ["a heartbeat is not heeded", /^a kernel elsewhere that sends a heartbeat keeps/],
    ["the holder's wall clock decides", /^a silent kernel elsewhere, whose clock is far in the future/],
  ])("fails one where %s", async (fault, name) => {
    expect(await failing((test) => leasing(test, leased(fault)), name)).not.toEqual([])
  })

  it("fails a log that does not check fences", async () => {
    const unfenced = changed(memory, EventLog, (log) => ({
      ...log,
      append: ({ fence: _, ...request }) => log.append(request),
    }))
    expect(await failing((test) => leasing(test, unfenced), /^an append under way/)).not.toEqual([])
  })
})

describe("the suite of presence", () => {
  const announced = new Set<string>()
  const faulty: ReadonlyArray<readonly [string, RegExp, Partial<Presence.Service>]> = [
    ["all writers are alive", /^a writer that nobody knows/, { stateOf: () => Effect.succeed("alive") }],
    ["no writer is gone", /^writers of one process/, { watch: () => Effect.succeed("alive") }],
    ["a live writer is gone", /^writers of one process/, { stateOf: () => Effect.succeed("gone") }],
    [
      "the writers of one process are one",
      /identities of their own/,
      { announce: Effect.succeed("01890a5d-ac96-774b-bcce-b302099a8057") },
    ],
    [
      "to forget one is to forget all",
      /^forgetting a writer/,
      {
        forget: () => Effect.sync(() => announced.add("forgotten")),
        stateOf: () => Effect.succeed(announced.has("forgotten") ? "gone" : "alive"),
      },
    ],
  ]
  it.each(faulty)("fails one where %s", async (_, name, fault) => {
    const backend = changed(memory, Presence, (presence) => ({ ...presence, ...fault }))
    expect(await failing((test) => attending(test, backend), name)).not.toEqual([])
  })

  it("fails one where a killed writer is alive", async () => {
    const immortal = { ...memory, crash: () => Effect.void }
    expect(await failing((test) => attending(test, immortal), /^a writer that was killed is gone/)).not.toEqual([])
  })
})

describe("the suite of recorders", () => {
  const faulty: ReadonlyArray<readonly [string, RegExp, (log: EventLog.Service) => EventLog.Service["append"]]> = [
    [
      "no version is expected",
      /^what must be undisturbed/,
      (log) => (request) => log.append({ ...request, expected: Any }),
    ],
    [
      "a stream begins twice",
      /^of two recorders that begin one stream at once/,
      (log) => (request) => log.append({ ...request, expected: Any }),
    ],
    [
      "a conflict does not carry what was missed",
      /^of two recorders of one stream at once/,
      (log) => (request) =>
        Effect.catchTag(log.append(request), "VersionConflict", (conflict) =>
          Effect.fail(new VersionConflict({ ...conflict, missed: [] })),
        ),
    ],
    [
      "an event is stored twice",
      /^of two recorders of one stream at once/,
      (log) => (request) =>
        Effect.tap(log.append(request), () =>
          log.append({ ...request, expected: Any, events: request.events.map(({ id: _, ...event }) => event) }),
        ),
    ],
    [
      "an acknowledged event is not there",
      /^of a recorder whose connection is closed/,
      (log) => {
        let count = 0
        return (request) => {
          count += 1
          if (count !== 3) return log.append(request)
          return Effect.map(log.append({ ...request, stream: "elsewhere", expected: Any }), (appended) => ({
            ...appended,
            version: count,
          }))
        }
      },
    ],
    [
      "an id makes nothing idempotent",
      /^an event that is recorded again under its id/,
      (log) => (request) => log.append({ ...request, events: request.events.map(({ id: _, ...event }) => event) }),
    ],
    [
      "what an append brings first is lost",
      /^what is held comes before/,
      (log) => (request) =>
        request.events.length > 1 ? log.append({ ...request, events: request.events.slice(1) }) : log.append(request),
    ],
  ]
  it.each(faulty)("fails a log where %s", async (_, name, append) => {
    const backend = changed(memory, EventLog, (log) => ({ ...log, append: append(log) }))
    expect(await failing((test) => recording(test, backend), name)).not.toEqual([])
  })
})

describe("the suite of snapshots", () => {
  const LATEST = Number.MAX_SAFE_INTEGER
  const faulty: ReadonlyArray<readonly [string, RegExp, (cache: Snapshots.Service) => Partial<Snapshots.Service>]> = [
    [
      "the newest is returned, whatever was asked for",
      /^the nearest snapshot is the newest that is not newer/,
      ({ nearest }) => ({ nearest: (series) => nearest(series, LATEST) }),
    ],
    [
      "another version's is returned",
      /^a snapshot of another fold, of another version/,
      (cache) => inSeries(cache, (series) => ({ ...series, fingerprint: "any" })),
    ],
    [
      "another timeline's is returned",
      /of another timeline/,
      (cache) => inSeries(cache, (series) => ({ ...series, timeline: "any" })),
    ],
    [
      "one outlives the key of its epoch",
      /^snapshots from before a key was destroyed/,
      (cache) => ({ ...inSeries(cache, (series) => ({ ...series, epoch: "" })), epoch: Effect.succeed("") }),
    ],
    [
      "parts are not stored",
      /^parts are what was stored/,
      ({ save }) => ({ save: (of, it) => save(of, it, new Map()) }),
    ],
    [
      "parts come apart from their snapshot",
      /^a snapshot that two programs store at once is whole/,
      ({ save }) => {
        let parts: Parameters<typeof save>[2] = new Map()
        return {
          save: (of, it, own) => {
            const others = parts
            parts = own
            return save(of, it, others)
          },
        }
      },
    ],
    ["nothing is forgotten", /^a snapshot replaces the one at its position/, () => ({ forget: () => Effect.void })],
    ["nothing is dropped", /^dropping leaves nothing/, () => ({ drop: Effect.void })],
    [
      "what a caller does with its bytes reaches the cache",
      /^what a caller does with bytes/,
      ({ nearest, save }) => {
        const given = new Map<number, Uint8Array>()
        return {
          save: (of, it, parts) => {
            given.set(it.position, it.root)
            return save(of, it, parts)
          },
          nearest: (of, at) =>
            Effect.map(
              nearest(of, at),
              Option.map((it) => ({ ...it, root: given.get(it.position) ?? it.root })),
            ),
        }
      },
    ],
    [
      "series are kept for ever",
      /^the series of a projection that newer ones replaced/,
      (cache) => {
        const kept = new Map<string, Effect.Effect.Success<ReturnType<typeof cache.nearest>>>()
        return {
          save: (of, it, parts) =>
            Effect.sync(() => kept.set(of.fingerprint, Option.some({ ...it, authentic: true }))).pipe(
              Effect.zipRight(cache.save(of, it, parts)),
            ),
          nearest: (of) => Effect.succeed(kept.get(of.fingerprint) ?? Option.none()),
        }
      },
    ],
  ]
  it.each(faulty)("fails a cache where %s", async (_, name, fault) => {
    const backend = changed(memory, Snapshots, (cache) => ({ ...cache, ...fault(cache) }))
    expect(await failing((test) => snapshotting(test, backend), name)).not.toEqual([])
  })

  it("fails a cache that takes what was altered for its own", async () => {
    const trusting = changed(sqliteFile, Snapshots, (cache) => ({
      ...cache,
      nearest: (of, at) =>
        Effect.map(
          cache.nearest(of, at),
          Option.map((it) => ({ ...it, authentic: true, stateHash: sha256(new TextDecoder().decode(it.root)) })),
        ),
    }))
    expect(await failing((test) => snapshotting(test, trusting), /^a snapshot that was altered/)).not.toEqual([])
  })
})

/** The cache with another series in the place of each. */
const inSeries = (cache: Snapshots.Service, other: (series: Series) => Series): Partial<Snapshots.Service> => ({
  nearest: (of, at) => cache.nearest(other(of), at),
  parts: (of, digests) => cache.parts(other(of), digests),
  missing: (of, digests) => cache.missing(other(of), digests),
  save: (of, it, parts) => Effect.flatMap(cache.epoch, () => cache.save(other(of), it, parts)),
})

/** The log with other events in the place of those that are read. */
const reading = (log: EventLog.Service, other: (event: Event) => Event): EventLog.Service => ({
  ...log,
  read: (query) => Stream.map(log.read(query), other),
  readPage: (query, limit) => Effect.map(log.readPage(query, limit), (events) => events.map(other)),
})

describe("the suite of personal data", () => {
  const withLog = (change: (log: EventLog.Service) => EventLog.Service) => changed(memory, EventLog, change)
  /** A keeper that records the destruction, and forgets to destroy. */
  const forgetful = changed(memory, PersonalData, (personal, all) => ({
    ...personal,
    shred: ({ subject, reason, actor }) =>
      Effect.gen(function* () {
        const keyId = (yield* personal.subjects).find((known) => known.subject === subject)?.keyId ?? ""
        const { events } = yield* Context.get(all, EventLog).append({
          stream: `key/${keyId}`,
          actor,
          events: [{ type: "PayloadShredded", payload: { keyId, reason } }],
        })
        return events[0] ?? (yield* Effect.dieMessage("none"))
      }),
  }))

  it.each([
    ["a destruction is forgotten", /^data of a destroyed key is unreadable/, forgetful],
    ["a key comes back", /^new data of a subject whose key was destroyed/, forgetful],
    ["nobody is refused", /^a subject that nobody knows/, forgetful],
    [
      "unreadable data does not say so",
      /^data of a destroyed key is unreadable and says so/,
      withLog((log) =>
        reading(log, ({ personal, ...event }) =>
          personal === undefined ? event : { ...event, personal: { ...personal, readable: true } },
        ),
      ),
    ],
    [
      "all subjects have one key",
      /^personal data reads as it was given/,
      withLog((log) => ({
        ...log,
        append: (request) => log.append(request.subject === undefined ? request : { ...request, subject: "everybody" }),
      })),
    ],
    [
      "a connection keeps what it has read",
      /^data of a destroyed key is unreadable .* over any connection/,
      withLog((log) => {
        const kept = new Map<string, Event>()
        return reading(log, (event) => {
          const known = kept.get(event.id) ?? event
          kept.set(event.id, known)
          return known
        })
      }),
    ],
    [
      "data is not under a key",
      /^personal data reads as it was given, .* says that it is under a key/,
      withLog((log) => ({ ...log, append: ({ subject: _, ...request }) => log.append(request) })),
    ],
  ] as const)("fails one where %s", async (_, name, backend) => {
    expect(await failing((test) => keeping(test, backend), name)).not.toEqual([])
  })
})

describe("the suite of blobs", () => {
  const shorter = (event: Event): Event => {
    const { text } = event.payload
    return typeof text === "string" && text.length > 9
      ? { ...event, payload: { ...event.payload, text: text.slice(1) } }
      : event
  }

  it.each([
    [
      "other bytes are returned",
      /^large payloads read as they were given/,
      changed(memory, EventLog, (log) => reading(log, shorter)),
    ],
    [
      "equal bytes are stored twice",
      /^a large payload is stored once/,
      {
        ...memory,
        blobs: (at: Parameters<typeof memory.blobs>[0]) =>
          Effect.map(memory.blobs(at), (digests) => [...digests, ...digests]),
      },
    ],
    [
      "a refused append leaves a blob",
      /a refused append leaves none$/,
      { ...memory, blobs: () => Effect.succeed([sha256("left")]) },
    ],
  ] as const)("fails a log where %s", async (_, name, backend) => {
    expect(await failing((test) => storing(test, backend as typeof memory), name)).not.toEqual([])
  })

  it.each([/^a blob that is missing is said/, /^a blob that was altered is said/])(
    "fails a log that returns something else for a damaged blob: %s",
    async (name) => {
      const lenient = changed(sqliteFile, EventLog, (log) => ({
        ...log,
        readPage: (query, limit) => Effect.catchTag(log.readPage(query, limit), "LogCorrupt", () => Effect.succeed([])),
      }))
      expect(await failing((test) => storing(test, lenient), name)).not.toEqual([])
    },
  )
})
