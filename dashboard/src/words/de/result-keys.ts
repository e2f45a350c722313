// Deutsch: eigene Schlüssel, für die Ergebnisse verschlüsselt werden.

export const deResultKeys = {
  resultKeys: {
    title: 'Ergebnisschlüssel',
    lead: 'Mit einem eigenen Schlüssel verschlüsseln wir Ergebnisse so, dass nur Sie sie lesen können. Pro Umgebung sind zwei Schlüssel möglich; wir verwenden den neuesten bestätigten.',
    empty: 'Noch kein Schlüssel. Ergebnisse sind verschlüsselt, aber den Schlüssel haben wir.',
    lost: 'Wenn Sie den privaten Schlüssel verlieren, können Sie diese Ergebnisse nicht mehr lesen. Wir können sie nicht wiederherstellen.',
    kid: 'Schlüssel',
    added: 'Hinzugefügt',
    state: 'Status',
    proven: 'Bestätigt',
    unproven: 'Nicht bestätigt',
    add: 'Schlüssel hinzufügen',
    addThis: 'Diesen Schlüssel hinzufügen',
    jwk: 'Öffentlicher Schlüssel (JWK)',
    jwkHint: 'Ein P-256-Schlüssel mit "use": "enc" und "alg": "ECDH-ES". Fügen Sie nie einen privaten Schlüssel ein.',
    makeLead:
      'Ihr Browser erstellt ein Schlüsselpaar. Der private Schlüssel wird als Datei auf Ihrem Computer gespeichert und nicht an uns gesendet.',
    own: 'Eigenes Schlüsselpaar verwenden',
    make: 'Schlüsselpaar erstellen',
    problems: {
      not_a_jwk: 'Das ist kein JWK.',
      private_key:
        'Das ist ein privater oder symmetrischer Schlüssel. Halten Sie ihn geheim und fügen Sie den öffentlichen ein.',
      not_p256: 'Der Schlüssel muss ein EC-Schlüssel auf der Kurve P-256 sein.',
      not_for_encryption: 'Im Schlüssel müssen "use": "enc" und "alg": "ECDH-ES" stehen.',
      unknown_member: 'Der Schlüssel darf nur kty, crv, x, y, use, alg und kid enthalten.',
      not_on_curve: 'x und y sind kein Punkt auf P-256.',
      there_already: 'Dieser Schlüssel wurde schon hinzugefügt.',
      too_many: 'Sie haben schon zwei Schlüssel. Entfernen Sie zuerst einen.',
      no_tenant: 'Dieses Unternehmen gibt es nicht mehr.',
    },
    proveTitle: 'Bestätigen, dass Sie den privaten Schlüssel haben',
    proveLead:
      'Wählen Sie die Datei mit dem privaten Schlüssel. Ihr Browser entschlüsselt damit einen Prüftext; der Schlüssel bleibt auf Ihrem Computer.',
    keyFile: 'Datei mit dem privaten Schlüssel',
    decrypt: 'Selbst entschlüsseln',
    decryptLead: 'Entschlüsseln Sie diesen Prüftext mit Ihrem privaten Schlüssel und geben Sie das Ergebnis ein.',
    answer: 'Entschlüsselter Text',
    prove: 'Bestätigen',
    proofs: {
      proven: 'Bestätigt. Neue Ergebnisse werden mit diesem Schlüssel verschlüsselt.',
      wrong: 'Der Text ist nicht richtig.',
      lapsed: 'Der Prüftext ist abgelaufen. Schließen Sie das Fenster und wählen Sie noch einmal „Bestätigen“.',
      not_found: 'Diesen Schlüssel gibt es nicht mehr.',
    },
    notThisKey: 'Diese Datei enthält nicht den passenden Schlüssel.',
    remove: 'Entfernen',
    removeTitle: 'Diesen Schlüssel entfernen?',
    removeLead:
      'Neue Ergebnisse werden nicht mehr damit verschlüsselt. Vorhandene bleiben verschlüsselt. Ohne einen anderen bestätigten Schlüssel haben wieder wir den Schlüssel zu neuen Ergebnissen.',
    encrypted: 'Verschlüsselt. Nur Ihr privater Schlüssel kann das öffnen.',
    openWith: 'Mit einer Schlüsseldatei öffnen',
    openHint: 'Die Datei wird in Ihrem Browser gelesen und nicht hochgeladen.',
    forgotten: 'Gelöscht, weil Sie die Daten erhalten haben, es so wollten oder die Frist abgelaufen ist.',
  },
}
