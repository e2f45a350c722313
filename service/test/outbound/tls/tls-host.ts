// A TLS server in a separate thread, so that its CPU is not counted as the client's. Posts its port.

import { parentPort, workerData } from 'node:worker_threads'
import { answering, OK, startReceiver } from '../world.ts'

const receiver = await startReceiver(answering(OK), { tls: workerData })
parentPort?.postMessage(receiver.port)
