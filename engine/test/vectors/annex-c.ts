// The vector ANNEXC-DETERMINISTIC-001 of walt.id's Annex C verifier (Apache-2.0), and the results of its steps.

export const ANNEX_C = {
  origin: 'https://verifier.example',
  nonce: '000102030405060708090a0b0c0d0e0f',
  privateKey: '9baeb7b14495d7b69cbe751a98c7ee4ad36b41053da880fe00baa4bb5ce31372',
  x: 's7QslfADxUCnv6sj1ggm-PXB8RDXbZh0SPDFQV5gAUQ',
  y: '0u68CgTFZk_nslWFmYhDMQQ6vdBNf2vwy3QHKI_80Js',
  encryptionInfo:
    'gmVkY2FwaaJlbm9uY2VQAAECAwQFBgcICQoLDA0OD3JyZWNpcGllbnRQdWJsaWNLZXmkAQIgASFYILO0LJXwA8VAp7-rI9YIJvj1wfEQ122YdEjwxUFeYAFEIlgg0u68CgTFZk_nslWFmYhDMQQ6vdBNf2vwy3QHKI_80Js',
  deviceRequest:
    'omd2ZXJzaW9uYzEuMGtkb2NSZXF1ZXN0c4GhbGl0ZW1zUmVxdWVzdNgYWEuiZ2RvY1R5cGV1b3JnLmlzby4xODAxMy41LjEubURMam5hbWVTcGFjZXOhcW9yZy5pc28uMTgwMTMuNS4xoWthZ2Vfb3Zlcl8xOPQ',
  transcript: '83f6f68265646361706958203ce0149e8bbf604186a904b8685614cbee8db6c0a64409f7330f2181586f197c',
  response:
    'gmVkY2FwaaJjZW5jWEEEG5gvoNUFmbbhxRtSl075PExgPLGtxDb9Hxu_VnVe03aaHuJ-vW219YofqLJJGUHZKgrrjcEmoLYT0ur35BJCBGpjaXBoZXJUZXh0WCXUGzq3WpzY3INchUZw8cbzbz8bWJueKZ4PLW0LEvhDmmQPAKOa',
  /** An empty DeviceResponse. */
  plaintext: 'a26776657273696f6e63312e306673746174757300',
} as const
