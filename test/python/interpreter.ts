/**
 * Python's interpreter. Files of tests that come to it run on one Node: what they try of ours on every Node is tried there by clients in
 * JavaScript, and CI's other Node runs without Python (`scripts/on-node.sh --bare`).
 */
export const PYTHON = "python3"
