/** (private) Simulated clock, disk and network, contract suites, golden files. */
export {}
