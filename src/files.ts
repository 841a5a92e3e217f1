/**
 * The entry `hindcast/files`: questions about the recorded files of a coding agent's directory. With promises, `open`;
 * with Effect, the service `Files` over an `EventLog` and a `TimeTravel` of `hindcast`. `recordFiles` makes a kernel record
 * the files of its workspace.
 *
 * @example
 * import { open } from "hindcast/files"
 * const files = await open({ log: ".hindcast/log.db" })
 * const { version } = await files.why("src/main.ts", { line: 12 })
 *
 * @module hindcast/files
 */

export { Closed } from "./promise/Calls.ts"
export type { FileDifference, Hunk, LineDifference, NotComparable } from "./workspace/questions/ComparedFiles.ts"
export type {
  RecordedBytes,
  RecordedFile,
  RecordedText,
  UnknownContent,
} from "./workspace/questions/FileContent.ts"
export {
  type FileOrigin,
  Files,
  type FilesDiff,
  type FilesError,
  layer,
  type Unified,
} from "./workspace/questions/Files.ts"
export { TwoTimelines } from "./workspace/questions/FilesBetween.ts"
export type {
  BlameOptions,
  DiffOptions,
  FilesOptions,
  HistoryOptions,
  WhyOptions,
} from "./workspace/questions/FilesOptions.ts"
export type { FileList, ListedFile } from "./workspace/questions/ListedFiles.ts"
export { type OpenedFiles, type OpenFilesOptions, open } from "./workspace/questions/OpenFiles.ts"
export type {
  CallOrigin,
  ChangeOrigin,
  EventPlace,
  ReadingOrigin,
  VersionOrigin,
} from "./workspace/questions/OriginDocument.ts"
export {
  type BlamedLines,
  type BlamedVersion,
  type LineOrigin,
  LineOutOfRange,
  OriginUnknown,
} from "./workspace/questions/RecordedBlame.ts"
export { ContentNotRecorded } from "./workspace/questions/RecordedContent.ts"
export {
  FileNotRecorded,
  NoFilesRecorded,
  type OpenError,
  type Stopped,
  WorkspaceUnclear,
} from "./workspace/questions/RecordedFiles.ts"
export type { Earlier, FileHistory } from "./workspace/questions/RecordedVersions.ts"
export { NotWritten, type RestoredFiles } from "./workspace/questions/RestoredFiles.ts"
export { recordFiles } from "./workspace/recordFiles.ts"
export { DirectoryUnfit, type Left, type Restored } from "./workspace/restore/RestoreInto.ts"
export { StoreUnavailable } from "./workspace/store/StoreFile.ts"
