/** Keys of personal data, in a schema of their own, so that rights and backups can treat them apart from the log. */

import * as crypto from "node:crypto"
import { Effect } from "effect"
import type { CheckedAppend, CoverOf, PersonalOwner } from "../append/AppendValidation.ts"
import { LogUnavailable, MAIN } from "../log/EventLog.ts"
import type { StoredKey } from "../maintenance/CopySink.ts"
import type { KeyStore } from "../payload/PersonalData.ts"
import { type Key, newKey, SECRET_BYTES } from "../payload/PersonalDataKeys.ts"
import * as TaskSubjects from "../payload/TaskSubjects.ts"
import { type Event, newId } from "../vocabulary/Event.ts"
import { keysSchemaOf } from "./server/address.ts"
import { attempt, attemptRead, type Database, type Query } from "./server/connection.ts"
import { codeOf } from "./server/errors.ts"

export interface Keys {
  /** Keys by id, as they are now. Empty for a user without rights to keys. */
  readonly find: (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Key>>
  /** The keys that cover some requests' personal fields. Makes the missing keys of subjects. */
  readonly coversOf: (requests: ReadonlyArray<CheckedAppend>) => Promise<CoverOf>
  /** Notes the subjects of tasks that have just been opened. */
  readonly opened: (rows: ReadonlyArray<Opening>) => void
  /** The key of snapshots; undefined while there is no key at all. */
  readonly ofSnapshots: (query?: Query) => Promise<Key | undefined>
  /** The statement for the id of the key of snapshots; undefined without rights to it. */
  readonly idOfSnapshots: () => Promise<string | undefined>
  /** The key that authenticates snapshots; undefined without rights to it, or if there is none. */
  readonly sealing: (make: boolean) => Promise<Uint8Array | undefined>
  readonly store: KeyStore
}

type Opening = Pick<Event, "timeline" | "stream" | "version" | "type" | "personal">

/** Default maximum number of remembered tasks. */
const MAX_REMEMBERED = 10_000

export interface KeysOptions {
  /** Destroys nothing. Default: false. */
  readonly readonly?: boolean
  /** Maximum number of tasks whose keys' ids are remembered between batches. Default: 10,000. */
  readonly remembered?: number
}

const INSUFFICIENT_PRIVILEGE = "42501"

export const make = (database: Database, { readonly = false, remembered = MAX_REMEMBERED }: KeysOptions = {}): Keys => {
  const { address, query } = database
  const schema = keysSchemaOf(address.schema)
  const statements = statementsOf(schema)
  /** The keys of tasks' subjects, which never change once a task is open. Null: of nobody. */
  const ofTasks = new Map<string, string | null>()

  const find: Keys["find"] = async (ids) => {
    try {
      return new Map(keysIn(await query(statements.byIds, [ids])).map((key) => [key.id, key]))
    } catch (cause) {
      // Whoever may read the log without its keys reads replacements.
      if (codeOf(cause) === INSUFFICIENT_PRIVILEGE) return new Map()
      throw cause
    }
  }

  /** Asked once: a statement that is refused would break its transaction. */
  let usable: Promise<boolean> | undefined
  const mayUse = (): Promise<boolean> => {
    usable ??= query(statements.usable).then(
      ([row]) => row?.[0] === true,
      (cause) => {
        usable = undefined
        throw cause
      },
    )
    return usable
  }

  /** The keys of subjects; undefined if destroyed and not recorded yet. */
  const ofSubjects = async (subjects: ReadonlyArray<string>): Promise<ReadonlyMap<string, Key | undefined>> => {
    const read = async () =>
      new Map(
        (await query(statements.bySubjects, [subjects])).map(([id, secret, subject]) => [
          String(subject),
          keyOf(id, secret),
        ]),
      )
    const known = await read()
    const missing = subjects.filter((subject) => !known.has(subject))
    if (missing.length === 0) return known
    await addOfSnapshots(query)
    for (const subject of missing) {
      const { id, secret } = newKey()
      await query(statements.add, [id, subject, secret, Date.now()])
    }
    return read()
  }

  const addOfSnapshots = async (query: Query) => {
    const { id, secret } = newKey()
    await query(statements.addOfSnapshots, [id, secret, Date.now()])
  }

  /** The ids of the keys of these tasks' subjects. The answer does not depend on what is remembered later. */
  const ofOpenings = async (tasks: ReadonlyArray<string>): Promise<ReadonlyMap<string, string | null>> => {
    const known = new Map<string, string | null>()
    for (const task of tasks) {
      const id = ofTasks.get(task)
      if (id !== undefined) known.set(task, id)
    }
    const unknown = tasks.filter((task) => !known.has(task))
    if (unknown.length === 0) return known
    if (ofTasks.size > remembered) ofTasks.clear()
    const streams = unknown.map(TaskSubjects.streamOf)
    for (const [stream, type, keyId] of await query(OPENINGS, [streams, MAIN])) {
      const task = TaskSubjects.taskOf(String(stream))
      if (task === null) continue
      const id = type === "TaskOpened" && keyId !== null ? String(keyId) : null
      known.set(task, id)
      ofTasks.set(task, id)
    }
    return known
  }

  const opened: Keys["opened"] = (rows) => {
    if (ofTasks.size > remembered) ofTasks.clear()
    for (const { timeline, stream, version, type, personal } of rows) {
      const task = version === 1 && timeline === MAIN ? TaskSubjects.taskOf(stream) : null
      if (task !== null) ofTasks.set(task, type === "TaskOpened" ? (personal?.keyId ?? null) : null)
    }
  }

  const coversOf: Keys["coversOf"] = async (requests) => {
    const owners = ownersIn(requests)
    if (owners.length === 0) return () => undefined
    const subjects = new Set(owners.flatMap((owner) => (owner.kind === "subject" ? [owner.subject] : [])))
    const tasks = [...new Set(owners.flatMap((owner) => (owner.kind === "task" ? [owner.taskId] : [])))]
    const bySubject = subjects.size === 0 ? new Map() : await ofSubjects([...subjects])
    const idOf = await ofOpenings(tasks)
    const ids = [...new Set(tasks.flatMap((task) => idOf.get(task) ?? []))]
    const byId = ids.length === 0 ? new Map<string, Key>() : await find(ids)
    return (owner) => {
      if (owner.kind === "subject") return bySubject.get(owner.subject) ?? "destroyed"
      const id = idOf.get(owner.taskId) ?? null
      return id === null ? undefined : (byId.get(id) ?? "withheld")
    }
  }

  const ofSnapshots: Keys["ofSnapshots"] = async (on = query) => {
    if (!(await mayUse())) return undefined
    const [row] = await on(statements.ofSnapshots)
    return row === undefined ? undefined : keyOf(row[0], row[1])
  }

  const sealing: Keys["sealing"] = async (make) => {
    try {
      const [found] = await query(statements.seal)
      if (found !== undefined || !make) return secretOf(found?.[0])
      await query(statements.addSeal, [crypto.randomBytes(SECRET_BYTES)])
      return secretOf((await query(statements.seal))[0]?.[0])
    } catch (cause) {
      if (codeOf(cause) === INSUFFICIENT_PRIVILEGE) return undefined
      throw cause
    }
  }

  const destroy = (subject: string) =>
    database.patiently(() =>
      database.transaction("BEGIN", async (query) => {
        const erased = await query(statements.erase, [newId(), subject])
        if (erased.length > 0) {
          await query(statements.eraseOfSnapshots)
          await addOfSnapshots(query)
        }
        const [row] = await query(statements.destroyed, [subject])
        return row === undefined ? undefined : { keyId: String(row[0]), eventId: String(row[1]) }
      }),
    )

  const refusal = Effect.fail(new LogUnavailable({ log: address.name, reason: "it was opened for reading only" }))

  return {
    find,
    coversOf,
    opened,
    ofSnapshots,
    idOfSnapshots: async () => ((await mayUse()) ? statements.idOfSnapshots : undefined),
    sealing,
    store: {
      name: `the schema ${schema} of ${address.name}`,
      subjects: attemptRead(address, async () =>
        (await query(statements.subjects)).map(([subject, keyId, since, shreddedBy]) => ({
          subject: String(subject),
          keyId: String(keyId),
          since: Number(since),
          shredding: shreddedBy !== null,
        })),
      ),
      destroy: (subject) => (readonly ? refusal : attempt(address, () => destroy(subject))),
      settle: (keyId) =>
        readonly ? refusal : Effect.asVoid(attempt(address, () => query(statements.settle, [keyId]))),
    },
  }
}

/** All keys of subjects, for a copy of the log. */
export const storedKeys = async ({ address, query }: Database): Promise<ReadonlyArray<StoredKey>> =>
  (await query(statementsOf(keysSchemaOf(address.schema)).stored)).map(([id, subject, secret, madeAt, shreddedBy]) => ({
    id: String(id),
    subject: String(subject),
    secret: secretOf(secret) ?? null,
    madeAt: Number(madeAt),
    shreddedBy: shreddedBy === null ? null : String(shreddedBy),
  }))

/** Destroys keys by id, for a copy of a log that records it. */
export const destroyKeys = async ({ address, query }: Database, ids: ReadonlyArray<string>): Promise<void> => {
  const statements = statementsOf(keysSchemaOf(address.schema))
  if ((await query(statements.deleteByIds, [ids])).length === 0) return
  // Snapshots have what the keys have encrypted.
  await query(statements.eraseOfSnapshots)
  const { id, secret } = newKey()
  await query(statements.addOfSnapshots, [id, secret, Date.now()])
}

/** Adds keys of another log. Existing keys of subjects stay, but not one that the other log has destroyed. */
export const addKeys = async ({ address, query }: Database, keys: ReadonlyArray<StoredKey>): Promise<void> => {
  const statements = statementsOf(keysSchemaOf(address.schema))
  const ofSnapshots = newKey()
  await query(statements.addOfSnapshots, [ofSnapshots.id, ofSnapshots.secret, Date.now()])
  for (const { id, subject, secret, madeAt, shreddedBy } of keys) {
    if (secret === null) await query(statements.deleteByIds, [[id]])
    await query(statements.addStored, [id, subject, secret === null ? null : Buffer.from(secret), madeAt, shreddedBy])
  }
}

const ownersIn = (requests: ReadonlyArray<CheckedAppend>): ReadonlyArray<PersonalOwner> =>
  requests.flatMap((request) => {
    const { owner, with: parts } = request
    return [...(owner === null || opensItself(request, owner) ? [] : [owner]), ...ownersIn(parts)]
  })

/** Whether a task without a subject begins with this append: nothing earlier names one. */
const opensItself = ({ expected, stream }: CheckedAppend, owner: PersonalOwner): boolean =>
  owner.kind === "task" && expected?._tag === "NoStream" && stream === TaskSubjects.streamOf(owner.taskId)

const OPENINGS = `SELECT stream, type, key_id FROM events
  WHERE stream = ANY($1::text[]) AND hashtextextended(timeline, 0) = hashtextextended($2 COLLATE "C", 0) AND timeline = $2 AND version = 1`

const statementsOf = (schema: string) => ({
  byIds: `SELECT id, secret FROM ${schema}.keys WHERE id = ANY($1::text[]) AND secret IS NOT NULL`,
  bySubjects: `SELECT id, secret, subject FROM ${schema}.keys WHERE subject = ANY($1::text[])`,
  add: `INSERT INTO ${schema}.keys (id, subject, secret, made_at) VALUES ($1, $2, $3, $4) ON CONFLICT (subject) DO NOTHING`,
  stored: `SELECT id, subject, secret, made_at, shredded_by FROM ${schema}.keys WHERE subject IS NOT NULL ORDER BY id`,
  addStored: `INSERT INTO ${schema}.keys (id, subject, secret, made_at, shredded_by) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
  addOfSnapshots: `INSERT INTO ${schema}.keys (id, subject, secret, made_at) VALUES ($1, NULL, $2, $3) ON CONFLICT DO NOTHING`,
  ofSnapshots: `SELECT id, secret FROM ${schema}.keys WHERE subject IS NULL`,
  idOfSnapshots: `SELECT id FROM ${schema}.keys WHERE subject IS NULL`,
  subjects: `SELECT subject, id, made_at, shredded_by FROM ${schema}.keys WHERE subject IS NOT NULL ORDER BY made_at, id`,
  erase: `UPDATE ${schema}.keys SET secret = NULL, shredded_by = $1 WHERE subject = $2 AND secret IS NOT NULL RETURNING id`,
  eraseOfSnapshots: `DELETE FROM ${schema}.keys WHERE subject IS NULL`,
  destroyed: `SELECT id, shredded_by FROM ${schema}.keys WHERE subject = $1 AND secret IS NULL`,
  settle: `DELETE FROM ${schema}.keys WHERE id = $1 AND secret IS NULL`,
  usable: `SELECT has_schema_privilege('${schema}', 'USAGE')`,
  deleteByIds: `DELETE FROM ${schema}.keys WHERE id = ANY($1::text[]) AND subject IS NOT NULL RETURNING id`,
  seal: `SELECT secret FROM ${schema}.seal`,
  addSeal: `INSERT INTO ${schema}.seal (secret) VALUES ($1) ON CONFLICT DO NOTHING`,
})

const keysIn = (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<Key> =>
  rows.flatMap(([id, secret]) => keyOf(id, secret) ?? [])

const keyOf = (id: unknown, secret: unknown): Key | undefined => {
  const bytes = secretOf(secret)
  return bytes === undefined ? undefined : { id: String(id), secret: bytes }
}

const secretOf = (secret: unknown): Uint8Array | undefined => (secret instanceof Uint8Array ? secret : undefined)
