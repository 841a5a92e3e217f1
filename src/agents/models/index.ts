/** The language models that agents think with: those of providers, recorded ones, and scripted ones. */

export { ModelCallFailed } from "../../kernel/tasks/ModelCalls.ts"
export * as Cassette from "./Cassette.ts"
export { judge } from "./judge/JudgeModel.ts"
export * as Message from "./Message.ts"
export type {
  CacheTime,
  Delta,
  Effort,
  Finish,
  Model,
  Reasoning,
  ServiceTier,
  ToolChoice,
  ToolDescription,
  Turn,
  TurnHints,
  TurnRequest,
} from "./Model.ts"
export { lazy, load, type ModelOptions } from "./Models.ts"
export { played } from "./PlayedModel.ts"
export { calls, type ScriptedOptions, says, scripted } from "./Scripted.ts"
export { KeyMissing, ProviderMissing, UnknownProvider } from "./UnusableModel.ts"
