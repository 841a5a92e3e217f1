/** Mutable builders for the scopes of the environment, used while events are folded. */

import { Either } from "effect"
import type { PatchOperation } from "../../../events/vocabulary/Sensing.ts"
import type { TaskOutcome } from "../../../events/vocabulary/Tasks.ts"
import type { Json } from "../../../values/Json.ts"
import type { SafeRecord } from "../../../values/SafeRecord.ts"
import { MapBuilder } from "../../fold/MapBuilder.ts"
import { RecordBuilder } from "../../fold/RecordBuilder.ts"
import * as JsonPatch from "../../patch/JsonPatch.ts"
import { type AgentScope, type AgentScopes, changed } from "./AgentScopes.ts"
import type { PendingCommand, Scope, TaskScope } from "./Scopes.ts"

/** A scope under construction. */
export class ScopeBuilder<Of extends Scope = Scope> {
  readonly #readings: RecordBuilder<Json>
  readonly #environment: RecordBuilder<Json>
  readonly #pending: MapBuilder<PendingCommand>
  readonly #outOfStep: RecordBuilder<OutOfStep>
  #built: Of

  constructor(scope: Of) {
    this.#built = scope
    this.#readings = new RecordBuilder(scope.readings)
    this.#environment = new RecordBuilder(scope.environment)
    this.#pending = new MapBuilder(scope.pending)
    this.#outOfStep = new RecordBuilder(scope.outOfStep ?? NONE)
  }

  /** A reading equal to the last one changes nothing, so that `blame` names the event that first wrote the value. */
  read(sensor: string, reading: Json): this {
    if (!JsonPatch.equal(this.#readings.get(sensor), reading)) this.#readings.set(sensor, reading)
    return this
  }

  /** Replaces a plugin's document, and clears its `outOfStep`. */
  reset(plugin: string, document: Json): this {
    this.#environment.set(plugin, document)
    this.#outOfStep.remove(plugin)
    return this
  }

  /** Patches a plugin's document, unless it is out of step. A patch that does not fit puts it out of step. */
  patch(plugin: string, patch: ReadonlyArray<PatchOperation>, position: number): this {
    if (this.#outOfStep.get(plugin) !== undefined) return this
    const patched = JsonPatch.apply(this.#environment.get(plugin), patch)
    if (Either.isLeft(patched)) {
      const { path, reason } = patched.left
      this.#outOfStep.set(plugin, { position, path, reason })
    } else if (patched.right === undefined) this.#environment.remove(plugin)
    else this.#environment.set(plugin, patched.right)
    return this
  }

  command(commandId: string, actuator: string, args: Json): this {
    this.#pending.set(commandId, { actuator, args, status: "commanded" })
    return this
  }

  proceed(commandId: string, status: PendingCommand["status"]): this {
    const command = this.#pending.get(commandId)
    if (command !== undefined) this.#pending.set(commandId, { ...command, status })
    return this
  }

  /** Removes a command after its outcome or denial. */
  end(commandId: string): this {
    this.#pending.remove(commandId)
    return this
  }

  /** The scope so far; the identical object if nothing has changed. */
  build(): Of {
    const before = this.#built
    const readings = this.#readings.record()
    const environment = this.#environment.record()
    const pending = this.#pending.record()
    const outOfStep = this.#outOfStep.record()
    if (
      readings !== before.readings ||
      environment !== before.environment ||
      pending !== before.pending ||
      outOfStep !== (before.outOfStep ?? NONE)
    ) {
      // The key exists only while a plugin is out of step.
      const { outOfStep: _before, ...others } = before
      const built = { ...others, readings, environment, pending }
      // `outOfStep` is optional in every scope.
      this.#built = (isEmpty(outOfStep) ? built : { ...built, outOfStep }) as Of
    }
    return this.#built
  }

  protected amend(changes: Partial<Of>): void {
    this.#built = { ...this.build(), ...changes }
  }
}

type OutOfStep = NonNullable<Scope["outOfStep"]>[string]

/** Shared by all scopes without a plugin out of step. */
const NONE: SafeRecord<never> = {}

const isEmpty = (record: object): boolean => {
  for (const _key in record) return false
  return true
}

export class TaskScopeBuilder extends ScopeBuilder<TaskScope> {
  open(goal: string): this {
    const scope = this.build()
    if (scope.goal !== goal || !scope.open) this.amend({ goal, open: true })
    return this
  }

  agent(agentId: string, change: (agent: AgentScope) => AgentScope): this {
    return this.agents((agents) => changed(agents, agentId, change))
  }

  agents(change: (agents: AgentScopes) => AgentScopes): this {
    const before = this.build().agents ?? NONE
    const after = change(before)
    if (after !== before) this.amend({ agents: after })
    return this
  }

  /** The first outcome counts: a kernel that lost its lease may close a task that another kernel has closed. */
  close(outcome: TaskOutcome): this {
    if (this.build().outcome === undefined) this.amend({ open: false, outcome })
    return this
  }
}
