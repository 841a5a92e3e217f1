/** The tools of the server, in the order in which clients list them. */
import type { Tool } from "../server/Tool.ts"
import * as Causes from "./Causes.ts"
import * as Comparisons from "./Comparisons.ts"
import * as Events from "./Events.ts"
import { explainFailure } from "./ExplainFailure.ts"
import * as FileOrigins from "./FileOrigins.ts"
import * as Files from "./Files.ts"
import { findTasks } from "./FindTasks.ts"
import { saw } from "./Requests.ts"
import { search } from "./Search.ts"
import { showInStudio } from "./ShowInStudio.ts"
import * as States from "./States.ts"

export const ALL: ReadonlyArray<Tool> = [
  explainFailure,
  findTasks,
  Causes.why,
  Causes.effects,
  Events.show,
  Events.skeleton,
  saw,
  States.state,
  States.diff,
  States.blame,
  States.bisect,
  search,
  Comparisons.compare,
  Comparisons.align,
  Files.files,
  Files.show,
  Files.diff,
  FileOrigins.blame,
  FileOrigins.why,
  showInStudio,
]
