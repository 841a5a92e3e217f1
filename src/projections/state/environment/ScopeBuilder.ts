import { Either } from "effect"
import type { PatchOperation } from "../../../events/vocabulary/Sensing.ts"
import type { TaskOutcome } from "../../../events/vocabulary/Tasks.ts"
import type { Json } from "../../../values/Json.ts"
import type { SafeRecord } from "../../../values/SafeRecord.ts"
import { MapBuilder } from "../../fold/MapBuilder.ts"
import { RecordBuilder } from "../../fold/RecordBuilder.ts"
import * as JsonPatch from "../../patch/JsonPatch.ts"
import type { PendingCommand, Scope, TaskScope } from "./Scopes.ts"

/** What is known of the world in one scope, while events change it. */
export class ScopeBuilder<Of extends Scope = Scope> {
  readonly #readings: RecordBuilder<Json>
  readonly #environment: RecordBuilder<Json>
  readonly #pending: MapBuilder<PendingCommand>
  readonly #outOfStep: RecordBuilder<OutOfStep>
  #sealed: Of

  constructor(scope: Of) {
    this.#sealed = scope
    this.#readings = new RecordBuilder(scope.readings)
    this.#environment = new RecordBuilder(scope.environment)
    this.#pending = new MapBuilder(scope.pending)
    this.#outOfStep = new RecordBuilder(scope.outOfStep ?? NONE)
  }

  /** A sensor that reads the same again writes nothing: blame stays with the event that brought the value. */
  read(sensor: string, reading: Json): this {
    if (!JsonPatch.equal(this.#readings.get(sensor), reading)) this.#readings.set(sensor, reading)
    return this
  }

  /** A plugin's document as it is from now on. Whatever it was out of step with is past. */
  reset(plugin: string, document: Json): this {
    this.#environment.set(plugin, document)
    this.#outOfStep.remove(plugin)
    return this
  }

  /** A plugin's document changes, if it is in step; where the patch does not fit, it no longer is. */
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

  /** A command is requested. */
  command(commandId: string, actuator: string, args: Json): this {
    this.#pending.set(commandId, { actuator, args, status: "commanded" })
    return this
  }

  /** A command comes further. */
  proceed(commandId: string, status: PendingCommand["status"]): this {
    const command = this.#pending.get(commandId)
    if (command !== undefined) this.#pending.set(commandId, { ...command, status })
    return this
  }

  /** A command's outcome or its denial is known. */
  end(commandId: string): this {
    this.#pending.remove(commandId)
    return this
  }

  /** The scope as it is now; the very same one as before where nothing has changed it. */
  seal(): Of {
    const before = this.#sealed
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
      // It is there only while it names something.
      const { outOfStep: _before, ...others } = before
      const sealed = { ...others, readings, environment, pending }
      // What was taken out and may be put in again is optional in every scope.
      this.#sealed = (isEmpty(outOfStep) ? sealed : { ...sealed, outOfStep }) as Of
    }
    return this.#sealed
  }

  /** The scope with these changes. */
  protected amend(changes: Partial<Of>): void {
    this.#sealed = { ...this.seal(), ...changes }
  }
}

type OutOfStep = NonNullable<Scope["outOfStep"]>[string]

/** Of the scopes in which all is well. */
const NONE: SafeRecord<never> = {}

const isEmpty = (record: object): boolean => {
  for (const _key in record) return false
  return true
}

/** The same of a task. */
export class TaskScopeBuilder extends ScopeBuilder<TaskScope> {
  open(goal: string): this {
    const scope = this.seal()
    if (scope.goal !== goal || !scope.open) this.amend({ goal, open: true })
    return this
  }

  /** The first outcome stands: a kernel that lost its lease may close what another has closed. */
  close(outcome: TaskOutcome): this {
    if (this.seal().outcome === undefined) this.amend({ open: false, outcome })
    return this
  }
}
