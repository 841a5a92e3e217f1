/** What goes on in an open task, in one word. */

/**
 * What goes on in an open task:
 * - `running`: its kernel or its recorder lives;
 * - `waiting`: it runs, and a person has to answer a question;
 * - `paused`: it runs, and was asked to pause;
 * - `stopped`: its kernel or its recorder ended unexpectedly;
 * - `unfinished`: it was imported or recorded so far, and may go on;
 * - `unknown`: nobody can tell from here whether its process lives.
 */
export type Activity = "running" | "waiting" | "paused" | "stopped" | "unfinished" | "unknown"
