// Runs beside the service for a moment: takes the types out of the till's sources.
// The runtime's own stripper is still marked experimental and says so; here nobody is disturbed by that.

import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

parentPort?.postMessage((workerData as readonly string[]).map((source) => stripTypeScriptTypes(source)))
