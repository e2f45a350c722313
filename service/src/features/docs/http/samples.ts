// Samples of each call in each language. In the browser, the reader's own key replaces the placeholder.

export const SAMPLE_LANGUAGES = ['curl', 'typescript', 'python', 'php', 'go'] as const
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]

export const LANGUAGE_TITLES: Readonly<Record<SampleLanguage, string>> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
}

/** The script of the page replaces it with the reader's test key. */
export const KEY_PLACEHOLDER = 'vk_test_YOUR_KEY'

export interface Sample {
  readonly title: string
  readonly code: Readonly<Record<SampleLanguage, string>>
}

interface Call {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly body?: object
  /** The call needs no API key: the credential is in the body, or none is needed. */
  readonly open?: boolean
  readonly typescript: string
  readonly python: string
  readonly php: string
  readonly go: string
}

/** A placeholder that readers replace with an id of their own. */
export const ID = 'ver_4T7rXb2mKq9sVdLw1nGzHc6yPf3jAe8u'
const LINK = 'lnk_4T7rXb2mKq9sVdLw1nGzHc6y'
const DEVICE = 'dev_4T7rXb2mKq9sVdLw1nGzHc6yPf3jAe8u'

/** The calls by operation. */
const CALLS: Readonly<Record<string, Call>> = {
  createVerification: {
    title: 'Create a verification',
    method: 'POST',
    path: '/v1/verifications',
    body: { template: 'age_over_18', purpose: 'To sell you wine' },
    typescript: `const created = await vidimus.verifications.create({\n  template: 'age_over_18',\n  purpose: 'To sell you wine',\n})\nconsole.log(created.wallet_uri)`,
    python: `created = vidimus.verifications.create(\n    template="age_over_18",\n    purpose="To sell you wine",\n)\nprint(created.wallet_uri)`,
    php: `$created = $vidimus->verifications->create(new NewVerification(\n    template: 'age_over_18',\n    purpose: 'To sell you wine',\n));\necho $created->walletUri;`,
    go: `created, err := client.Verifications.Create(ctx, vidimus.NewVerification{\n\tTemplate: "age_over_18",\n\tPurpose:  "To sell you wine",\n})\nif err != nil {\n\treturn err\n}\nfmt.Println(created.WalletURI)`,
  },
  getVerification: {
    title: 'Read the result',
    method: 'GET',
    path: `/v1/verifications/${ID}`,
    typescript: `const result = await vidimus.verifications.get('${ID}')\nif (result.status === 'completed' && result.claims?.age_over_18 === true) admit()`,
    python: `result = vidimus.verifications.get("${ID}")\nif result.status == "completed" and result.claims.get("age_over_18") is True:\n    admit()`,
    php: `$result = $vidimus->verifications->get('${ID}');\nif ($result->status === Status::Completed && ($result->claims['age_over_18'] ?? null) === true) {\n    admit();\n}`,
    go: `result, err := client.Verifications.Get(ctx, "${ID}")\nif err != nil {\n\treturn err\n}\nif result.Status == vidimus.StatusCompleted && result.Claims["age_over_18"] == true {\n\tadmit()\n}`,
  },
  getVerificationStatus: {
    title: 'Poll the status',
    method: 'GET',
    path: `/v1/verifications/${ID}/status`,
    open: true,
    typescript: `const { status } = await vidimus.verifications.status('${ID}')`,
    python: `status = vidimus.verifications.status("${ID}").status`,
    php: `$status = $vidimus->verifications->status('${ID}')->status;`,
    go: `answer, err := client.Verifications.Status(ctx, "${ID}")\nif err != nil {\n\treturn err\n}\nfmt.Println(answer.Status)`,
  },
  listVerifications: {
    title: 'List verifications',
    method: 'GET',
    path: '/v1/verifications?limit=20',
    typescript: `const newest = await vidimus.verifications.list({ limit: 20 })\nfor await (const one of vidimus.verifications.all()) console.log(one.id)`,
    python: `newest = vidimus.verifications.list(limit=20)\nfor one in vidimus.verifications.all():\n    print(one.id)`,
    php: `$newest = $vidimus->verifications->list(limit: 20);\nforeach ($vidimus->verifications->all() as $one) {\n    echo $one->id;\n}`,
    go: `newest, err := client.Verifications.List(ctx, vidimus.ListOptions{Limit: 20})\nif err != nil {\n\treturn err\n}\nfor _, one := range newest {\n\tfmt.Println(one.ID)\n}`,
  },
  redeemResponseCode: {
    title: 'Redeem a response code',
    method: 'POST',
    path: `/v1/verifications/${ID}/redeem`,
    body: { response_code: 'from-the-redirect-address' },
    typescript: `const result = await vidimus.verifications.redeem('${ID}', responseCode)`,
    python: `result = vidimus.verifications.redeem("${ID}", response_code)`,
    php: `$result = $vidimus->verifications->redeem('${ID}', $responseCode);`,
    go: `result, err := client.Verifications.Redeem(ctx, "${ID}", responseCode)\nif err != nil {\n\treturn err\n}\nfmt.Println(result.Status)`,
  },
  cancelVerification: {
    title: 'Cancel a verification',
    method: 'POST',
    path: `/v1/verifications/${ID}/cancel`,
    typescript: `await vidimus.verifications.cancel('${ID}')`,
    python: `vidimus.verifications.cancel("${ID}")`,
    php: `$vidimus->verifications->cancel('${ID}');`,
    go: `_, err = client.Verifications.Cancel(ctx, "${ID}")`,
  },
  forgetVerification: {
    title: 'Forget the content',
    method: 'POST',
    path: `/v1/verifications/${ID}/forget`,
    typescript: `await vidimus.verifications.forget('${ID}')`,
    python: `vidimus.verifications.forget("${ID}")`,
    php: `$vidimus->verifications->forget('${ID}');`,
    go: `_, err = client.Verifications.Forget(ctx, "${ID}")`,
  },
  getVerificationTransaction: {
    title: 'Read the transaction',
    method: 'GET',
    path: `/v1/verifications/${ID}/transaction`,
    typescript: `const { transaction } = await vidimus.verifications.transaction('${ID}')`,
    python: `transaction = vidimus.verifications.transaction("${ID}")`,
    php: `$transaction = $vidimus->verifications->transaction('${ID}');`,
    go: `answer, err := client.Verifications.Transaction(ctx, "${ID}")\nif err != nil {\n\treturn err\n}\nfmt.Println(answer.Status)`,
  },
  getVerificationDiagnostics: {
    title: 'Read the diagnostics',
    method: 'GET',
    path: `/v1/verifications/${ID}/diagnostics`,
    typescript: `const { channel, credentials } = await vidimus.verifications.diagnostics('${ID}')`,
    python: `diagnostics = vidimus.verifications.diagnostics("${ID}")`,
    php: `$diagnostics = $vidimus->verifications->diagnostics('${ID}');`,
    go: `diagnostics, err := client.Verifications.Diagnostics(ctx, "${ID}")\nif err != nil {\n\treturn err\n}\nfmt.Println(diagnostics.Channel)`,
  },
  collectEvidence: {
    title: 'Collect the evidence',
    method: 'POST',
    path: `/v1/verifications/${ID}/evidence`,
    typescript: `const { evidence } = await vidimus.verifications.collectEvidence('${ID}')`,
    python: `evidence = vidimus.verifications.collect_evidence("${ID}")`,
    php: `$evidence = $vidimus->verifications->collectEvidence('${ID}');`,
    go: `evidence, err := client.Verifications.CollectEvidence(ctx, "${ID}")\nif err != nil {\n\treturn err\n}\nkeep(evidence.Evidence)`,
  },
  getCertificate: {
    title: 'Download the certificate',
    method: 'GET',
    path: `/v1/verifications/${ID}/certificate?language=de`,
    typescript: `const pdf = await vidimus.verifications.certificate('${ID}', { language: 'de' })\nawait writeFile('certificate.pdf', pdf)`,
    python: `pdf = vidimus.verifications.certificate("${ID}", language="de")\nwith open("certificate.pdf", "wb") as file:\n    file.write(pdf)`,
    php: `$pdf = $vidimus->verifications->certificate('${ID}', 'de');\nfile_put_contents('certificate.pdf', $pdf);`,
    go: `pdf, err := client.Verifications.Certificate(ctx, "${ID}", "de")\nif err != nil {\n\treturn err\n}\nerr = os.WriteFile("certificate.pdf", pdf, 0o600)`,
  },
  getVerificationVerdict: {
    title: 'Read the verdict',
    method: 'GET',
    path: `/v1/verifications/${ID}/verdict`,
    typescript: `const { verdict } = await vidimus.verifications.verdict('${ID}')`,
    python: `verdict = vidimus.verifications.verdict("${ID}")`,
    php: `$verdict = $vidimus->verifications->verdict('${ID}');`,
    go: `answer, err := client.Verifications.Verdict(ctx, "${ID}")\nif err != nil {\n\treturn err\n}\nfmt.Println(answer.Verdict)`,
  },
  eraseVerification: {
    title: 'Erase a verification',
    method: 'DELETE',
    path: `/v1/verifications/${ID}`,
    typescript: `await vidimus.verifications.erase('${ID}')`,
    python: `vidimus.verifications.erase("${ID}")`,
    php: `$vidimus->verifications->erase('${ID}');`,
    go: `_, err = client.Verifications.Erase(ctx, "${ID}")`,
  },
  registerDevice: {
    title: 'Register a device',
    method: 'POST',
    path: '/v1/devices',
    body: { name: 'Bar, left till', allowed_templates: ['age_over_18'] },
    typescript: `const { device, pairing_code } = await vidimus.devices.register({\n  name: 'Bar, left till',\n  allowed_templates: ['age_over_18'],\n})`,
    python: `registered = vidimus.devices.register(\n    name="Bar, left till",\n    allowed_templates=["age_over_18"],\n)\nprint(registered.pairing_code)`,
    php: `$registered = $vidimus->devices->register('Bar, left till', ['age_over_18']);\necho $registered->pairingCode;`,
    go: `registered, err := client.Devices.Register(ctx, vidimus.NewDevice{\n\tName:             "Bar, left till",\n\tAllowedTemplates: []string{"age_over_18"},\n})\nif err != nil {\n\treturn err\n}\nfmt.Println(registered.PairingCode)`,
  },
  listDevices: {
    title: 'List devices',
    method: 'GET',
    path: '/v1/devices',
    typescript: `const devices = await vidimus.devices.list()`,
    python: `devices = vidimus.devices.list()`,
    php: `$devices = $vidimus->devices->list();`,
    go: `devices, err := client.Devices.List(ctx)\nif err != nil {\n\treturn err\n}\nfmt.Println(len(devices))`,
  },
  revokeDevice: {
    title: 'Revoke a device',
    method: 'DELETE',
    path: `/v1/devices/${DEVICE}`,
    typescript: `await vidimus.devices.revoke('${DEVICE}')`,
    python: `vidimus.devices.revoke("${DEVICE}")`,
    php: `$vidimus->devices->revoke('${DEVICE}');`,
    go: `_, err = client.Devices.Revoke(ctx, "${DEVICE}")`,
  },
  enrollDevice: {
    title: 'Pair a device',
    method: 'POST',
    path: '/v1/devices/enroll',
    body: { pairing_code: 'VD-ABCD-EFGH' },
    open: true,
    typescript: `const tokens = await vidimus.devices.enroll('VD-ABCD-EFGH')`,
    python: `tokens = vidimus.devices.enroll("VD-ABCD-EFGH")`,
    php: `$tokens = $vidimus->devices->enroll('VD-ABCD-EFGH');`,
    go: `tokens, err := client.Devices.Enroll(ctx, "VD-ABCD-EFGH")\nif err != nil {\n\treturn err\n}\nkeep(tokens.RefreshToken)`,
  },
  rotateDeviceToken: {
    title: 'Refresh the tokens of a device',
    method: 'POST',
    path: '/v1/devices/token',
    body: { refresh_token: 'vdr_…' },
    open: true,
    typescript: `const tokens = await vidimus.devices.refresh(refreshToken)`,
    python: `tokens = vidimus.devices.refresh(refresh_token)`,
    php: `$tokens = $vidimus->devices->refresh($refreshToken);`,
    go: `tokens, err := client.Devices.Refresh(ctx, refreshToken)\nif err != nil {\n\treturn err\n}\nkeep(tokens.RefreshToken)`,
  },
  getUsage: {
    title: "Today's usage",
    method: 'GET',
    path: '/v1/usage',
    typescript: `const usage = await vidimus.usage.get()`,
    python: `usage = vidimus.usage()`,
    php: `$usage = $vidimus->usage();`,
    go: `usage, err := client.Usage(ctx)\nif err != nil {\n\treturn err\n}\nfmt.Println(usage.Remaining)`,
  },
  createLink: {
    title: 'Create a link',
    method: 'POST',
    path: '/v1/links',
    body: { template: 'age_over_18', metadata: { order: '4711' }, uses: 3 },
    typescript: `const { url } = await vidimus.links.create({\n  template: 'age_over_18',\n  metadata: { order: '4711' },\n  uses: 3,\n})\nconsole.log(url)`,
    python: `link = vidimus.links.create(\n    template="age_over_18",\n    metadata={"order": "4711"},\n    uses=3,\n)\nprint(link.url)`,
    php: `$link = $vidimus->links->create(new NewVerification(\n    template: 'age_over_18',\n    metadata: ['order' => '4711'],\n), uses: 3);\necho $link->url;`,
    go: `link, err := client.Links.Create(ctx, vidimus.NewLink{\n\tTemplate: "age_over_18",\n\tMetadata: map[string]string{"order": "4711"},\n\tUses:     3,\n})\nif err != nil {\n\treturn err\n}\nfmt.Println(link.URL)`,
  },
  getLink: {
    title: 'Read a link',
    method: 'GET',
    path: `/v1/links/${LINK}`,
    typescript: `const link = await vidimus.links.get('${LINK}')\nconsole.log(link.state, link.opened, link.completed)`,
    python: `link = vidimus.links.get("${LINK}")\nprint(link.state, link.opened, link.completed)`,
    php: `$link = $vidimus->links->get('${LINK}');\necho $link->state, ' ', $link->opened, ' ', $link->completed;`,
    go: `link, err := client.Links.Get(ctx, "${LINK}")\nif err != nil {\n\treturn err\n}\nfmt.Println(link.State, link.Opened, link.Completed)`,
  },
  listLinks: {
    title: 'List links',
    method: 'GET',
    path: '/v1/links?limit=20',
    typescript: `const links = await vidimus.links.list({ limit: 20 })`,
    python: `links = vidimus.links.list(limit=20)`,
    php: `$links = $vidimus->links->list(limit: 20);`,
    go: `links, err := client.Links.List(ctx, vidimus.LinkListOptions{Limit: 20})\nif err != nil {\n\treturn err\n}\nfmt.Println(len(links))`,
  },
  revokeLink: {
    title: 'Revoke a link',
    method: 'DELETE',
    path: `/v1/links/${LINK}`,
    typescript: `await vidimus.links.revoke('${LINK}')`,
    python: `vidimus.links.revoke("${LINK}")`,
    php: `$vidimus->links->revoke('${LINK}');`,
    go: `_, err = client.Links.Revoke(ctx, "${LINK}")`,
  },
  listTemplates: {
    title: 'List templates',
    method: 'GET',
    path: '/v1/templates',
    typescript: `// The device's own client; with an API key, see the dashboard.\nconst { data } = await till.listTemplates()`,
    python: `templates = vidimus.templates()`,
    php: `$templates = $vidimus->templates();`,
    go: `templates, err := client.Templates(ctx)\nif err != nil {\n\treturn err\n}\nfmt.Println(len(templates.Data))`,
  },
}

export const OPERATIONS_WITH_SAMPLES: readonly string[] = Object.keys(CALLS)

export function samplesOf(baseUrl: string): Readonly<Record<string, Sample>> {
  const calls = Object.entries(CALLS).map(([name, call]) => [name, sampleOf(baseUrl, call)] as const)
  return { ...Object.fromEntries(calls), verifyWebhook: webhookSample(), error: errorSample('quota_exceeded', 429) }
}

function sampleOf(baseUrl: string, call: Call): Sample {
  const { title, typescript, python, php, go } = call
  const classes = ['Client', ...['NewVerification', 'Status'].filter((name) => new RegExp(`\\b${name}\\b`).test(php))]
  return {
    title,
    code: {
      curl: curlOf(baseUrl, call),
      typescript: typescript.includes('till.')
        ? typescript
        : `import { Vidimus } from '@vidimus/sdk'\n\nconst vidimus = new Vidimus({\n  baseUrl: '${baseUrl}',\n  apiKey: '${KEY_PLACEHOLDER}',\n})\n\n${typescript}`,
      python: `from vidimus import Vidimus\n\nvidimus = Vidimus("${baseUrl}", "${KEY_PLACEHOLDER}")\n\n${python}`,
      php: `use Vidimus\\${classes.length === 1 ? classes[0] : `{${classes.join(', ')}}`};\n\n$vidimus = new Client('${baseUrl}', '${KEY_PLACEHOLDER}');\n\n${php}`,
      go: `${goImports(go)}\n\nclient, err := vidimus.New("${baseUrl}", "${KEY_PLACEHOLDER}")\nif err != nil {\n\treturn err\n}\n${go}`,
    },
  }
}

/** Sorted as gofmt sorts them. */
const goImports = (code: string) => {
  const used = ['fmt', 'os'].filter((name) => code.includes(`${name}.`))
  return used.length === 0
    ? 'import "vidimus"'
    : `import (\n${[...used, 'vidimus'].map((name) => `\t"${name}"`).join('\n')}\n)`
}

/** Exported for routes that no SDK has a method for. */
export function curlOf(
  baseUrl: string,
  { method, path, body, open = false }: Pick<Call, 'method' | 'path' | 'body' | 'open'>,
): string {
  // With a body, curl sends POST by default.
  const implied = method === 'GET' || (method === 'POST' && body !== undefined)
  const parts = [`curl ${implied ? '' : `-X ${method} `}'${baseUrl}${path}'`]
  if (!open) parts.push(`-H 'Authorization: Bearer ${KEY_PLACEHOLDER}'`)
  if (body !== undefined)
    parts.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}'`)
  return parts.join(' \\\n  ')
}

function webhookSample(): Sample {
  return {
    title: 'Check a webhook',
    code: {
      curl: `# What arrives at your address:\nPOST /webhook HTTP/1.1\nContent-Type: application/json\nX-Service-Signature: t=1800000000,v1=5257a869…\nX-Service-Delivery: dlv_…\n\n{\n  "type": "verification.completed",\n  "verification": { "id": "ver_…" }\n}`,
      typescript: `import { verifyWebhook } from '@vidimus/sdk'\n\nconst event = await verifyWebhook(\n  rawBody,\n  request.headers['x-service-signature'],\n  [process.env.VIDIMUS_WEBHOOK_SECRET],\n)\nif (event.type === 'verification.completed') enqueue(event.verification.id)`,
      python: `from vidimus import verify_webhook\n\nevent = verify_webhook(\n    raw_body,\n    headers.get("X-Service-Signature"),\n    [os.environ["VIDIMUS_WEBHOOK_SECRET"]],\n)\nif event.type == "verification.completed":\n    enqueue(event.verification.id)`,
      php: `use Vidimus\\Webhook;\n\n$event = Webhook::verify(\n    (string) file_get_contents('php://input'),\n    $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null,\n    [getenv('VIDIMUS_WEBHOOK_SECRET')],\n);\nif ($event->type === 'verification.completed') {\n    enqueue($event->verification->id);\n}`,
      go: `import (\n\t"os"\n\t"vidimus"\n)\n\nevent, err := vidimus.VerifyWebhook(\n\trawBody,\n\trequest.Header.Get("X-Service-Signature"),\n\tos.Getenv("VIDIMUS_WEBHOOK_SECRET"),\n)\nif err == nil && event.Type == "verification.completed" {\n\tenqueue(event.Verification.ID)\n}`,
    },
  }
}

export function errorSample(code: string, status: number): Sample {
  return {
    title: 'Handle the error',
    code: {
      curl: `HTTP/1.1 ${status}\nContent-Type: application/json\nRequest-Id: req_…\nLink: </docs/errors/${code}>; rel="help"\n\n{\n  "error": {\n    "code": "${code}",\n    "message": "…"\n  }\n}`,
      typescript: `import { VidimusError } from '@vidimus/sdk'\n\ntry {\n  await vidimus.verifications.create(request)\n} catch (error) {\n  if (!(error instanceof VidimusError)) throw error\n  if (error.code === '${code}') handle(error.requestId)\n}`,
      python: `from vidimus import VidimusError\n\ntry:\n    vidimus.verifications.create(template="age_over_18")\nexcept VidimusError as error:\n    if error.code == "${code}":\n        handle(error.request_id)`,
      php: `use Vidimus\\Exception\\VidimusException;\n\ntry {\n    $vidimus->verifications->create($request);\n} catch (VidimusException $error) {\n    if ($error->errorCode === '${code}') {\n        handle($error->requestId);\n    }\n}`,
      go: `import (\n\t"errors"\n\t"vidimus"\n)\n\n_, err := client.Verifications.Create(ctx, request)\nvar refused *vidimus.Error\nif errors.As(err, &refused) && refused.Code == "${code}" {\n\thandle(refused.RequestID)\n}`,
    },
  }
}
