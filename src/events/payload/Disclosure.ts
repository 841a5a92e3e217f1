/**
 * Decides which parts of an event leave Hindcast in plain text: the one door for personal data.
 *
 * A payload becomes readable in one place, `StoredPayload.read`, by the keys that it is given. This module says which
 * keys a reader gets. A reader without keys sees each personal field as the replacement that its type declares, as if
 * the key were destroyed, and so does everything that is folded from what it reads.
 */

import * as PersonalDataKeys from "./PersonalDataKeys.ts"

/**
 * The keys by which a log is read.
 *
 * @param decrypted whether the reader may see personal data. Any other value than true, from an untyped program, is a no.
 */
export const keysFor = (keys: PersonalDataKeys.Keys, decrypted: boolean): PersonalDataKeys.Keys =>
  decrypted === true ? keys : NO_KEYS

/** Keys that open nothing. They are only ever read from. */
const NO_KEYS: PersonalDataKeys.Keys = PersonalDataKeys.memory()
