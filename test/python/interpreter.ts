/**
 * Python's interpreter. Files of tests that come to it run on one Node: what they try of ours on every Node is tried there by clients in
 * JavaScript, and CI's other Node runs without Python (`scripts/on-node.sh --bare`).
 */
import { spawnSync } from "node:child_process"

export const PYTHON = "python3"

/** Whether Python is here, and as new as the Python package needs it: 3.9. */
export const isRecent = (): boolean => {
  const program = "import sys; sys.exit(sys.version_info < (3, 9))"
  return spawnSync(PYTHON, ["-c", program]).status === 0
}
