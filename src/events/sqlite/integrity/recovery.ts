/** Advice for the owner of a damaged log, with commands to paste. */

/**
 * Advice to make a new log of the events: with the same positions, ids, hashes and times, and new tables, triggers and
 * indexes.
 *
 * @param last the last readable event, if it is not the head
 */
export const rebuild = (last?: number): string => {
  const until = last === undefined ? "" : ` --until @${last}`
  return (
    `make a new log of its events: \`hindcast export events${until} --output saved.jsonl\`, then ` +
    "`hindcast log import saved.jsonl --log saved.db`, which checks each of them. `hindcast log restore saved.db --replace` puts the " +
    "new log in the place of this one, whose keys and plugins stay"
  )
}

export const recovery = (last?: number): string =>
  "Stop what uses the log and copy the file together with its -wal and -shm before anything else. Then bring back the last " +
  "good backup (`hindcast log restore BACKUP --replace`). Or, as far as it can be read, " +
  `${rebuild(last)}.${last === undefined ? " If a finding names the last intact event, add it to the export, as in `--until @412`." : ""}`
