/**
 * The entry `hindcast/projections`: folds over events that a program already has, such as a web page that gets them as
 * JSON. Needs nothing of Node and reads no log.
 *
 * @module hindcast/projections
 */

export type { Event } from "../events/vocabulary/Event.ts"
export * as EventJson from "../events/vocabulary/EventJson.ts"
export * as EventType from "../events/vocabulary/EventType.ts"
export * as Inference from "../events/vocabulary/Inference.ts"
export * as Vocabulary from "../events/vocabulary/Vocabulary.ts"
export type { Json, JsonObject } from "../values/Json.ts"
export { CSS as viewCss, drawHtml } from "../views/drawHtml.ts"
export { drawSvg, type SvgOptions } from "../views/drawSvg.ts"
export { drawText, type TextOptions } from "../views/drawText.ts"
export * as View from "../views/View.ts"
export * as Annotations from "./annotations/Annotations.ts"
export * as TaskAudit from "./audit/AuditDocument.ts"
export * as Audits from "./audit/AuditPass.ts"
export * as Collective from "./collective/Collective.ts"
export * as AuditTable from "./comparison/AuditTable.ts"
export * as Projection from "./fold/Projection.ts"
export * as JsonPatch from "./patch/JsonPatch.ts"
export * as LogReport from "./report/LogReport.ts"
export * as ScoreChoice from "./report/ScoreChoice.ts"
export * as TaskReport from "./report/TaskReport.ts"
export * as EnvironmentState from "./state/EnvironmentState.ts"
export * as PendingConfirmations from "./state/PendingConfirmations.ts"
export * as PluginRegistry from "./state/PluginRegistry.ts"
export * as ScoreSets from "./state/ScoreSets.ts"
export * as Tasks from "./state/Tasks.ts"
export * as Worlds from "./state/Worlds.ts"
