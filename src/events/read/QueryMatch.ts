/** Matches events against queries in memory, for backends and followers. */

import type { Committed, Query } from "../log/EventLog.ts"
import * as PartHash from "./PartHash.ts"

export const matches = (query: Query, event: Committed): boolean =>
  event.position > (query.after ?? 0) &&
  (query.until === undefined || event.position <= query.until) &&
  (query.timeline === undefined || event.timeline === query.timeline) &&
  (query.stream === undefined || event.stream === query.stream) &&
  (query.afterVersion === undefined || event.version > query.afterVersion) &&
  (query.taskId === undefined || event.taskId === query.taskId) &&
  (query.types === undefined || query.types.includes(event.type)) &&
  (query.occurredAt === undefined || event.occurredAt === query.occurredAt) &&
  (query.part === undefined || PartHash.has(query.part, event.taskId))
