/** Summarizes each type of event in a few words. */
import type { Event } from "../../events/vocabulary/Event.ts"
import type { CoreName, PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { at, count, duration, number, shorten, signed, value } from "../../values/Formats.ts"
import * as Money from "../../values/Money.ts"
import { oneLine } from "../../values/PlainText.ts"
import { inWords } from "../../values/time/Wait.ts"
import * as Labels from "../annotations/Labels.ts"
import * as GateSummary from "./GateSummary.ts"
import * as Outcome from "./Outcome.ts"

/** Maximum length of a summary, in characters. */
const LENGTH = 120

/** Summarizes an event on one line. An event outside the core vocabulary is summarized by its payload. */
export const of = (event: Pick<Event, "type" | "payload">): string => shorten(oneLine(summarize(event)), LENGTH)

const summarize = ({ type, payload }: Pick<Event, "type" | "payload">): string => {
  try {
    // The append checked the payload against its type's schema.
    const summary = byType.get(type)?.(payload as never)
    if (summary === undefined) return value(payload)
    const { agentId } = payload
    return typeof agentId === "string" && !summary.startsWith(agentId) ? `${agentId}: ${summary}` : summary
  } catch {
    // In a log that was tampered with, the payload may not match its schema.
    return value(payload)
  }
}

type Summaries = { readonly [Name in CoreName]: (payload: PayloadOf<Name>) => string }

const summaries: Summaries = {
  KernelStarted: ({ version, seed, gate }) =>
    `Hindcast ${version}, seed ${seed}${gate === undefined ? "" : `, gate: ${GateSummary.of(gate)}`}`,
  LeaseTakenOver: ({ owner, from }) => `by ${value(owner)} from ${value(from)}`,
  RangeArchived: ({ first, last, segment }) => `@${first} to @${last} in ${segment}`,
  KernelStopped: ({ reason }) => reason,

  PluginImported: ({ plugin, version, digest }) => `${plugin} ${version} (${digest.slice(0, 12)})`,
  PluginUpdateHeld: ({ plugin, version, missing }) =>
    `${plugin} ${version} lacks ${missing.map(({ field, asked }) => `${field} ${asked}`).join(", ")}`,
  PluginGranted: ({ plugin, given }) => `${plugin} ${value(given)}`,
  PluginGrantRevoked: ({ plugin, revoked }) => `${plugin} ${value(revoked)}`,
  PluginFilesStored: ({ plugin, digest, part, of }) => `${plugin} ${digest.slice(0, 16)}, ${part} of ${of}`,
  PluginRemoved: ({ plugin }) => plugin,
  PluginActivated: ({ plugin }) => plugin,
  PluginDeactivated: ({ plugin }) => plugin,
  ComponentActivated: ({ component }) => component,
  ComponentDeactivated: ({ component }) => component,
  PriorityChanged: ({ component, priority }) => `${component} to ${signed(priority)}`,
  MetadataSet: ({ target, key, value: set }) => `${target} ${key} = ${value(set)}`,
  MetadataUnset: ({ target, key }) => `${target} ${key}`,
  SandboxConsentGiven: ({ plugin, version, by, how }) =>
    `${plugin} ${version} without a second layer, by ${by} (${how})`,
  PluginStartRefused: ({ plugin, code, reason }) => `${plugin} ${code}${because(reason)}`,
  PrecomputeStarted: ({ plugin, module }) => `${plugin} ${module}`,
  PluginStarted: ({ plugin, instance, pid }) => `${plugin} for ${instance}, process ${pid}`,
  PluginExited: ({ plugin, code, signal, reason }) =>
    `${plugin} ${signal === null ? `with code ${code}` : `by ${signal}`}${because(reason)}`,
  PluginMisbehaved: ({ plugin, code, reason }) => `${plugin} ${code}${because(reason)}`,
  PluginQuarantined: ({ plugin, reason }) => plugin + because(reason),
  PluginLogged: ({ plugin, level, message }) => `${plugin} ${level}: ${message}`,
  BrokerRequested: ({ plugin, method, request }) => `${plugin} ${method} ${value(request)}`,
  BrokerAllowed: ({ plugin, rule }) => `${plugin} by ${rule}`,
  BrokerDenied: ({ plugin, rule, reason }) => `${plugin} by ${rule}${because(reason)}`,
  BrokerAnswered: ({ plugin, answer, error }) =>
    `${plugin} ${error === undefined ? value(answer) : `refused: ${error.message}`}`,

  SensorRead: ({ sensor, reading }) => `${sensor} ${value(reading)}`,
  SensorFailed: ({ sensor, error }) => `${sensor} ${error.code}: ${error.message}`,
  SensorSkipped: ({ sensor, reason }) => sensor + because(reason),
  EnvironmentDescribed: ({ plugin, name }) => `${plugin}: ${name}`,
  EnvironmentRestored: ({ plugin, by, at: position, engine }) =>
    by === "nothing"
      ? `${plugin} not rewound to ${at(position)}`
      : `${plugin} restored to ${at(position)} by ${by}${engine === undefined ? "" : underOther(engine)}`,
  EnvironmentReset: ({ plugin, seed }) => `${plugin}, seed ${seed}`,
  EnvironmentChanged: ({ plugin, patch }) => `${plugin} ${patch.map(({ op, path }) => `${op} ${path}`).join(", ")}`,

  ListenerStarted: ({ listener, kind, address }) => `${listener}, ${kind}${because(address)}`,
  ListenerFailed: ({ listener, reason, restartInMs }) =>
    `${listener}: ${reason}, starts again in ${inWords(restartInMs)}`,
  ListenerStopped: ({ listener, reason }) => `${listener}: ${reason}`,
  SignalReceived: ({ listener, id, content }) => `${listener} ${id}: ${value(content)}`,
  SignalHandled: ({ listener, signal, how, task, reason }) =>
    `${listener} ${at(signal)} ${how}${task === undefined ? "" : ` ${task}`}${because(reason)}`,

  InputReceived: ({ source, content, delivery }) =>
    `${source}${delivery === undefined ? "" : ` (${delivery})`}: ${value(content)}`,
  InputDelivered: ({ inputs }) => inputs.map(at).join(", "),
  DecisionMade: ({ agent, choice }) => `${agent} ${value(choice)}`,
  MessageSent: ({ content }) => content,
  AgentStateChanged: ({ state }) => value(state),
  GuideApplied: ({ systemPrompt }) => value(systemPrompt),
  ModelFailed: ({ kind, reason, retryInMs, fallbackTo }) =>
    `${retryInMs === undefined ? "" : `waits ${inWords(retryInMs)}: `}${fallbackTo === undefined ? "" : `asks ${fallbackTo} instead: `}${kind}: ${reason}`,
  ModelCallDelayed: ({ provider, model, waitMs, because }) =>
    `${provider} ${model} waits ${inWords(waitMs)} by the limit of ${because}`,
  MemoryStored: ({ text, agent, user }) =>
    `${agent === undefined ? "" : `of ${agent} `}${user === undefined ? "" : `about ${user} `}${value(text)}`,
  MemoryEmbedded: ({ memory, embedding }) => `@${memory} by ${embedding.model}`,
  MemoryCompacted: ({ policy, messages }) => `${messages} messages by ${policy}`,
  BudgetExceeded: ({ budget, used, limit }) => `${budget}: ${used} of ${limit}`,
  ModelCalled: ({ provider, model, hedgeOf }) =>
    `${provider} ${model}${hedgeOf === undefined ? "" : ", a second time"}`,
  ModelResponded: ({ usage, cost, unread, latencyMs }) =>
    `${tokensIn(usage)}${latencyMs === undefined ? "" : `, ${duration(latencyMs)}`}${cost === undefined ? "" : `, ${Money.dollars(cost.usd)}`}${unread === undefined ? "" : `, not read: ${unread.map(unreadItem).join(", ")}`}`,
  IoCalled: ({ io, request }) => `${io} ${value(request)}`,
  IoAnswered: ({ io, result, unrecorded }) =>
    unrecorded === undefined ? `${io} ${value(result)}` : `${io} ${notRecorded(unrecorded)}`,
  IoFailed: ({ io, error }) => `${io} ${error.code}: ${error.message}`,
  RandomDrawn: ({ purpose, value: drawn }) => `${purpose ?? ""} ${value(drawn)}`.trim(),

  ActuatorCommanded: ({ actuator, args, source }) =>
    `${actuator} ${value(args)}${source === undefined ? "" : `, by the ${source}`}`,
  CommandAllowed: ({ rule }) => `by ${rule}`,
  CommandDenied: ({ rule, reason }) => `by ${rule}: ${reason}`,
  CommandDispatched: ({ commandId }) => commandId,
  CommandAttemptFailed: ({ attempt, error, retryInMs }) =>
    `attempt ${attempt}, again in ${duration(retryInMs)}: ${error.code}: ${error.message}`,
  CommandSucceeded: ({ result, latencyMs, unrecorded, settledBy, cachedFrom }) => {
    if (cachedFrom !== undefined) return `${value(result)}, the result of ${cachedFrom}`
    // For a command that was settled later, `latencyMs` is the time of the question.
    const took = settledBy === undefined && latencyMs !== undefined ? ` in ${duration(latencyMs)}` : ""
    return (
      settled(settledBy) + (unrecorded === undefined ? value(result) + took : `done${took}; ${notRecorded(unrecorded)}`)
    )
  },
  CommandFailed: ({ error, settledBy }) => `${settled(settledBy)}${error.code}: ${error.message}`,
  CommandOutcomeUnknown: ({ commandId, reason }) => commandId + because(reason),

  ConfirmationRequested: ({ confirmationId, shown }) => `${confirmationId} ${value(shown)}`,
  ConfirmationDecided: ({ approved, by, channel, reason }) =>
    `${approved ? "approved" : "rejected"} by ${by} (${channel})${because(reason)}`,
  ConfirmationExpired: ({ confirmationId }) => confirmationId,
  ToolsPinned: ({ server, tools }) => `${server}: ${Object.keys(tools).join(", ")}`,
  ToolsChanged: ({ server, added, changed, removed }) =>
    [
      server,
      ...(added.length === 0 ? [] : [`new: ${added.join(", ")}`]),
      ...(changed.length === 0 ? [] : [`changed: ${changed.join(", ")}`]),
      ...(removed.length === 0 ? [] : [`gone: ${removed.join(", ")}`]),
    ].join("; "),
  ConfirmationWithdrawn: ({ confirmationId, reason }) => confirmationId + because(reason),

  TaskOpened: ({ goal, agent, forkedFrom }) =>
    `${agent}: ${goal}${forkedFrom === undefined ? "" : ` (continues ${forkedFrom.taskId} from ${forkedFrom.timeline}@${forkedFrom.at})`}`,
  CaptureNoted: ({ unseen, lacks = [] }) =>
    [
      ...unseen.map(({ what, target, count }) => `${what}: ${target}${count === 1 ? "" : ` (${count} times)`}`),
      ...(lacks.length === 0 ? [] : [`its source lacks ${lacks.map(({ what }) => what).join(", ")}`]),
    ].join("; "),
  RecorderJoined: ({ agent, recorder }) => `${agent} in process ${recorder.pid} on ${recorder.host}`,
  RecorderLeft: ({ identity }) => identity ?? "",
  TaskPaused: ({ by, reason }) => `by ${by}${because(reason)}`,
  TaskContinued: ({ by }) => `by ${by}`,
  TaskCancelled: ({ by, reason }) => `by ${by}${because(reason)}`,
  TaskResumed: ({ agent, at: led, inDoubt }) =>
    `${agent} from ${at(led)}${inDoubt.length === 0 ? "" : `, ${count(inDoubt.length, "command")} in doubt`}`,
  TaskHandedOff: ({ from, to, reason }) => `${from} to ${to}${because(reason)}`,
  TasksBelowCounted: ({ tasks, open, tokens }) =>
    `${tasks} ${tasks === 1 ? "task" : "tasks"} below, ${open} open: ${tokens ?? "unknown"} tokens`,
  ClockChanged: ({ byMs }) => `set ${byMs < 0 ? "back" : "forward"} by ${duration(Math.abs(byMs))}`,
  TaskSubmitted: ({ task, agent, goal }) => `${task} for ${agent}: ${goal}`,
  TasksClaimed: ({ runner, claims }) => `by ${runner}: ${claims.map(({ task }) => task).join(", ")}`,
  TaskClaimed: ({ task, epoch, runner }) => `${task} by ${runner}, claim ${epoch}`,
  TaskReleased: ({ task, reason }) => task + because(reason),
  TaskClaimLost: ({ task, by }) => `${task} to ${by}`,
  TaskPoisoned: ({ task, attempts, reason }) => `${task} after ${count(attempts, "attempt")}${because(reason)}`,
  TaskRequeued: ({ task, by }) => `${task} by ${by}`,
  TaskWithdrawn: ({ task, by, reason }) => `${task} by ${by}${because(reason)}`,
  QueueLimitsSet: ({ agents, plugins, total, by }) => `by ${by}: ${value({ agents, plugins, ...defined({ total }) })}`,
  RunnerStarted: ({ runner, host, pid, slots }) => `${runner} in process ${pid} on ${host}, ${count(slots, "slot")}`,
  RunnerDrainRequested: ({ runner, by }) => `${runner} by ${by}`,
  RunnerStopped: ({ runner, reason }) => runner + because(reason),
  RunnerLost: ({ runner, by }) => `${runner}, noticed by ${by}`,
  TaskBundled: ({ source, positions }) => `${positions.length} events of ${source.log}, up to @${source.head.position}`,
  TaskClosed: ({ reason, ...closed }) => Outcome.of(closed) + because(reason),

  AgentJoined: ({ agentId, agent }) => `${agentId}: ${agent}`,
  AgentLeft: ({ agentId, outcome, reason }) => `${agentId} ${outcome}${because(reason)}`,
  AgentSuspended: ({ agentId, reason }) => agentId + because(reason),
  AgentContinued: ({ agentId }) => agentId,
  AgentLate: ({ agentId, waitedMs }) => `${agentId} after ${duration(waitedMs)}`,
  WorldTicked: ({ plugin, milliseconds }) => `${plugin} by ${duration(milliseconds)}`,

  ScenarioStarted: ({ name, version }) => `${name} ${version}`,
  TriggerFired: ({ trigger, response, because }) => `${trigger} ${value(response)}${citing(because)}`,
  MilestoneReached: ({ name, because }) => name + citing(because),
  ScenarioEnded: ({ result, condition, because }) => `${result} ${value(condition)}${citing(because)}`,

  CurriculumStarted: ({ name, version, agent }) => `${agent}: ${name} ${version}`,
  StageAttempted: ({ stage, attempt, taskIds }) => `${stage}, attempt ${attempt}: ${count(taskIds.length, "task")}`,
  CurriculumDecided: ({ stage, attempt, decision, to, reason, because: evidence }) =>
    `${stage}, attempt ${attempt}: ${decision}${to === undefined ? "" : ` ${to}`}${because(reason)}${citing(evidence)}`,
  GuidanceGiven: ({ tutor, gives, stage, content, missing }) =>
    `${gives} by ${tutor} at ${stage}: ${content ?? `nothing${because(missing)}`}`,
  AgentDeveloped: ({ agent, from, to, because }) =>
    `${agent}: ${from === undefined ? "" : `${from} → `}${to}${citing(because)}`,
  CurriculumEnded: ({ result, reason, because: evidence }) => result + because(reason) + citing(evidence),
  RolloutStarted: ({ plugin, policy, episodes, seed }) =>
    episodes === undefined
      ? `${plugin} by ${policy}`
      : `${count(episodes, "episode")} of ${plugin} by ${policy}, seed ${seed}`,
  StepsRecorded: ({ plugin, first, steps }) =>
    steps === 0 ? `${plugin}: no step` : `${plugin}: ${count(steps, "step")}, ${first} to ${first + steps - 1}`,
  SearchStarted: ({ plugin, rule }) => `in clones of ${plugin}, allowed by ${rule}`,
  StepsSearched: ({ plugin, steps, runs }) =>
    `${plugin}: ${count(steps, "step")} tried in ${count(runs.length, "run")}`,
  RolloutEnded: ({ episodes, steps }) => `${count(episodes, "episode")}, ${count(steps, "step")}`,

  ScoringStarted: ({ label, taskIds, critic }) => `${label}: ${count(taskIds.length, "task")} by ${critic}`,
  RewardGiven: ({ measure, name, amount, because }) => `${measure} +${number(amount)} ${name}${citing(because)}`,
  PunishmentGiven: ({ measure, name, amount, because }) => `${measure} −${number(amount)} ${name}${citing(because)}`,
  MeasureUnscored: ({ measure, name, reason }) => `${measure} ${name}${because(reason)}`,
  ScoringFinished: ({ totals }) => value(totals),
  ScoreSetPromoted: ({ pointer, scoreSetId }) => `${pointer} is ${scoreSetId}`,

  TimelineForked: ({ timeline, parent, at }) => `${timeline} from ${parent}@${at}`,
  NoteAdded: ({ about, text }) => `${about}: ${text}`,
  TagAdded: ({ about, tag }) => `${about}: ${tag}`,
  TagRemoved: ({ task, tag }) => `${task}: ${tag}`,
  Starred: (starred) => subjectOf(starred),
  Labelled: ({ measure, value: given, comment, ...labelled }) =>
    `${subjectOf(labelled)}: ${Labels.inWords(measure, given)}${because(comment)}`,
  AnnotationRemoved: ({ annotation }) => at(annotation),
  PayloadShredded: ({ keyId, reason }) => keyId + because(reason),
  FilesPurged: ({ file, before, contents, reason }) =>
    `${file ?? `before @${before}`}: ${count(contents, "content")}${because(reason)}`,

  FileImported: ({ source, name, records, taskIds, runs }) =>
    `${name} (${source}): ${count(records, "record")}, ${runs === undefined ? count(taskIds.length, "task") : count(runs, "run")}`,
  AccountMerged: ({ source, matches }) => `${source}: ${count(matches.length, "event")} reported by both`,
  SourceStated: ({ source, used, waits }) =>
    [
      source,
      ...(used?.usd === undefined ? [] : [Money.dollars(used.usd)]),
      ...(used?.inputTokens === undefined ? [] : [`${count(used.inputTokens, "token")} in`]),
      ...(used?.outputTokens === undefined ? [] : [`${used.outputTokens} out`]),
      ...(waits === undefined ? [] : [`not imported yet: ${waits}`]),
    ].join(", "),
  SourceRecordKept: ({ source, kind, record }) => `${source} ${kind} ${value(record)}`,
}

const subjectOf = ({ task, moment }: Pick<PayloadOf<"Starred">, "task" | "moment">): string =>
  moment === undefined ? (task ?? "") : at(moment)

const notRecorded = ({ reason }: { readonly reason: string }) => `its result was not recorded: ${reason}`

const tokensIn = ({ inputTokens, outputTokens, unknown }: PayloadOf<"ModelResponded">["usage"]): string => {
  const told = (name: "inputTokens" | "outputTokens", tokens: string) =>
    unknown?.includes(name) === true ? "unknown tokens" : tokens
  return `${told("inputTokens", count(inputTokens, "token"))} in, ${told("outputTokens", String(outputTokens))} out`
}

const unreadItem = ({ kind, count: times }: { readonly kind: string; readonly count: number }): string =>
  `${kind === "" ? "an item without a type" : kind}${times === 1 ? "" : ` (${times})`}`

const settled = (by: string | undefined): string => (by === undefined ? "" : `${by} said after a crash: `)

const because = (reason: string | undefined): string => (reason === undefined ? "" : `: ${reason}`)

const underOther = ({ recorded, now }: NonNullable<PayloadOf<"EnvironmentRestored">["engine"]>): string =>
  `, recorded under ${recorded.map((engine) => engine ?? "an unknown engine").join(" and ")}, now under ${now ?? "an unknown one"}`

const citing = (positions: ReadonlyArray<number>): string =>
  positions.length === 0 ? "" : ` because of ${positions.map(at).join(", ")}`

const byType: ReadonlyMap<string, (payload: never) => string> = new Map(
  Object.entries<(payload: never) => string>(summaries),
)
