/** The suites of the relay that stand on a ground. */
export const RELAY = ['handshake', 'calls', 'bounds', 'model-requests', 'panel', 'inputs'].map(
  (name) => `relay/${name}.test.ts`,
)
