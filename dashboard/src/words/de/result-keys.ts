// Deutsch: eigene Schlüssel, für die Ergebnisse verschlüsselt werden.

export const deResultKeys = {
  resultKeys: {
    title: 'Ergebnisschlüssel',
    lead: 'Mit einem eigenen Schlüssel werden Ergebnisse verschlüsselt, bevor wir sie speichern, und nur Sie können sie lesen. Höchstens zwei Schlüssel in dieser Umgebung; benutzt wird der neueste bestätigte.',
    empty: 'Kein Schlüssel: Ergebnisse liegen versiegelt, und wir könnten sie lesen.',
    lost: 'Geht der private Schlüssel verloren, sind die damit verschlüsselten Ergebnisse verloren. Wir können sie nicht wiederherstellen.',
    kid: 'Schlüssel',
    state: 'Stand',
    proven: 'in Gebrauch oder für ältere Ergebnisse',
    unproven: 'nicht belegt',
    add: 'Schlüssel hinzufügen',
    jwk: 'Öffentlicher Schlüssel (JWK)',
    jwkHint:
      'P-256 mit "use": "enc" und "alg": "ECDH-ES"; nie der private Schlüssel. Oder lassen Sie hier ein Paar machen: Der private wird als Datei auf diesem Rechner gespeichert und geht sonst nirgendwohin.',
    make: 'Hier ein Paar machen',
    problems: {
      not_a_jwk: 'Das ist kein JWK.',
      private_key:
        'Das ist ein privater oder symmetrischer Schlüssel. Behalten Sie ihn, und geben Sie den öffentlichen.',
      not_p256: 'Der Schlüssel muss vom Typ EC auf der Kurve P-256 sein.',
      not_for_encryption: 'Im Schlüssel müssen "use": "enc" und "alg": "ECDH-ES" stehen.',
      unknown_member: 'Der Schlüssel darf kty, crv, x, y, use, alg und kid haben, sonst nichts.',
      not_on_curve: 'x und y sind kein Punkt von P-256.',
      there_already: 'Dieser Schlüssel ist schon eingetragen.',
      too_many: 'Zwei sind schon eingetragen. Entfernen Sie zuerst einen.',
      no_tenant: 'Dieses Unternehmen gibt es nicht mehr.',
    },
    proveTitle: 'Belegen, dass Sie den privaten Schlüssel haben',
    proveLead:
      'Nur der private Schlüssel öffnet diese Aufgabe. Wählen Sie seine Datei, und diese Seite öffnet sie: Der Schlüssel bleibt auf diesem Rechner. Oder öffnen Sie sie anderswo und schreiben Sie auf, was darin steht.',
    keyFile: 'Datei des privaten Schlüssels',
    answer: 'Was in der Aufgabe steht',
    prove: 'Belegen',
    proofs: {
      proven: 'Belegt: Ergebnisse werden von jetzt an für diesen Schlüssel verschlüsselt.',
      wrong: 'Das steht nicht in der Aufgabe.',
      lapsed: 'Die Aufgabe ist abgelaufen. Schließen Sie das Fenster und wählen Sie noch einmal „Belegen“.',
      not_found: 'Diesen Schlüssel gibt es nicht mehr.',
    },
    notThisKey: 'In dieser Datei ist ein anderer Schlüssel oder keiner.',
    remove: 'Entfernen',
    removeTitle: 'Diesen Schlüssel entfernen?',
    removeLead:
      'Es wird nichts mehr für ihn verschlüsselt; was es ist, bleibt es. Ohne einen anderen belegten Schlüssel sind Ergebnisse für uns wieder lesbar.',
    encrypted: 'Für Sie verschlüsselt: Nur Ihr privater Schlüssel öffnet es.',
    openWith: 'Mit einer Schlüsseldatei öffnen',
    openHint: 'Sie wird allein in dieser Seite gelesen und nirgendwohin geschickt.',
    forgotten: 'Vergessen: Sie hatten den Inhalt, baten darum, oder seine Zeit war um.',
  },
}
