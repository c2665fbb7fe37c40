//! The vector instructions of AVX-512 that code is made of, by the size of elements and of vectors.
//!
//! Those on two operands take the second, those on one the only operand from memory, too, where one element can stand
//! for all lanes; conversions do not, as used here.

use iced_x86::Code as Opcode;

/// An instruction for vectors of 16, 32 and 64 bytes.
pub(super) type Widths = [Opcode; 3];

/// The same for elements of 4 and of 8 bytes.
pub(super) type Family = [Widths; 2];

/// Sums of floats.
pub(super) const ADD: Family = [
    [
        Opcode::EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Opcode::EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vaddpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
    ],
];

/// Differences of floats.
pub(super) const SUB: Family = [
    [
        Opcode::EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Opcode::EVEX_Vsubpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vsubpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
    ],
];

/// Products of floats.
pub(super) const MUL: Family = [
    [
        Opcode::EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Opcode::EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vmulpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
    ],
];

/// Quotients of floats.
pub(super) const DIV: Family = [
    [
        Opcode::EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Opcode::EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vdivpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
    ],
];

/// The first operand where it is greater, else the second.
pub(super) const MAX: Family = [
    [
        Opcode::EVEX_Vmaxps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
    ],
    [
        Opcode::EVEX_Vmaxpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vmaxpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae,
    ],
];

/// The first operand where it is less, else the second.
pub(super) const MIN: Family = [
    [
        Opcode::EVEX_Vminps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vminps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
    ],
    [
        Opcode::EVEX_Vminpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vminpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae,
    ],
];

/// Square roots.
pub(super) const SQRT: Family = [
    [
        Opcode::EVEX_Vsqrtps_xmm_k1z_xmmm128b32,
        Opcode::EVEX_Vsqrtps_ymm_k1z_ymmm256b32,
        Opcode::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
    ],
    [
        Opcode::EVEX_Vsqrtpd_xmm_k1z_xmmm128b64,
        Opcode::EVEX_Vsqrtpd_ymm_k1z_ymmm256b64,
        Opcode::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
    ],
];

/// Rounded to integers, as the immediate says.
pub(super) const ROUND: Family = [
    [
        Opcode::EVEX_Vrndscaleps_xmm_k1z_xmmm128b32_imm8,
        Opcode::EVEX_Vrndscaleps_ymm_k1z_ymmm256b32_imm8,
        Opcode::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
    ],
    [
        Opcode::EVEX_Vrndscalepd_xmm_k1z_xmmm128b64_imm8,
        Opcode::EVEX_Vrndscalepd_ymm_k1z_ymmm256b64_imm8,
        Opcode::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
    ],
];

/// The last operand where the mask is set, else the first.
pub(super) const BLEND: Family = [
    [
        Opcode::EVEX_Vblendmps_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vblendmps_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vblendmpd_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vblendmpd_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Comparisons of floats, as the immediate says.
pub(super) const COMPARE: Family = [
    [
        Opcode::EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8,
        Opcode::EVEX_Vcmpps_kr_k1_ymm_ymmm256b32_imm8,
        Opcode::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
    ],
    [
        Opcode::EVEX_Vcmppd_kr_k1_xmm_xmmm128b64_imm8,
        Opcode::EVEX_Vcmppd_kr_k1_ymm_ymmm256b64_imm8,
        Opcode::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
    ],
];

/// Sums of integers.
pub(super) const INT_ADD: Family = [
    [
        Opcode::EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Differences of integers.
pub(super) const INT_SUB: Family = [
    [
        Opcode::EVEX_Vpsubd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpsubq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpsubq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Products of integers.
pub(super) const INT_MUL: Family = [
    [
        Opcode::EVEX_Vpmulld_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpmullq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpmullq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// The greater signed integer.
pub(super) const INT_MAX: Family = [
    [
        Opcode::EVEX_Vpmaxsd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpmaxsd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpmaxsq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpmaxsq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// The lesser signed integer.
pub(super) const INT_MIN: Family = [
    [
        Opcode::EVEX_Vpminsd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpminsd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpminsq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpminsq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// The greater unsigned integer.
pub(super) const NAT_MAX: Family = [
    [
        Opcode::EVEX_Vpmaxud_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpmaxud_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpmaxuq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpmaxuq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// The lesser unsigned integer.
pub(super) const NAT_MIN: Family = [
    [
        Opcode::EVEX_Vpminud_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpminud_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpminuq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpminuq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Bits of both.
pub(super) const AND: Family = [
    [
        Opcode::EVEX_Vpandd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Bits of either.
pub(super) const OR: Family = [
    [
        Opcode::EVEX_Vpord_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpord_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vporq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Bits of one.
pub(super) const XOR: Family = [
    [
        Opcode::EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Bits moved up.
pub(super) const SHIFT_LEFT: Family = [
    [
        Opcode::EVEX_Vpsllvd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpsllvd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpsllvq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpsllvq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Bits moved down, signed.
pub(super) const SHIFT_RIGHT: Family = [
    [
        Opcode::EVEX_Vpsravd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpsravd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpsravq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpsravq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Bits moved down, unsigned.
pub(super) const NAT_SHIFT_RIGHT: Family = [
    [
        Opcode::EVEX_Vpsrlvd_xmm_k1z_xmm_xmmm128b32,
        Opcode::EVEX_Vpsrlvd_ymm_k1z_ymm_ymmm256b32,
        Opcode::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpsrlvq_xmm_k1z_xmm_xmmm128b64,
        Opcode::EVEX_Vpsrlvq_ymm_k1z_ymm_ymmm256b64,
        Opcode::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
    ],
];

/// Comparisons of signed integers, as the immediate says.
pub(super) const INT_COMPARE: Family = [
    [
        Opcode::EVEX_Vpcmpd_kr_k1_xmm_xmmm128b32_imm8,
        Opcode::EVEX_Vpcmpd_kr_k1_ymm_ymmm256b32_imm8,
        Opcode::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
    ],
    [
        Opcode::EVEX_Vpcmpq_kr_k1_xmm_xmmm128b64_imm8,
        Opcode::EVEX_Vpcmpq_kr_k1_ymm_ymmm256b64_imm8,
        Opcode::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
    ],
];

/// Comparisons of unsigned integers, as the immediate says.
pub(super) const NAT_COMPARE: Family = [
    [
        Opcode::EVEX_Vpcmpud_kr_k1_xmm_xmmm128b32_imm8,
        Opcode::EVEX_Vpcmpud_kr_k1_ymm_ymmm256b32_imm8,
        Opcode::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
    ],
    [
        Opcode::EVEX_Vpcmpuq_kr_k1_xmm_xmmm128b64_imm8,
        Opcode::EVEX_Vpcmpuq_kr_k1_ymm_ymmm256b64_imm8,
        Opcode::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
    ],
];

/// Whether two have a bit in common.
pub(super) const TEST: Family = [
    [
        Opcode::EVEX_Vptestmd_kr_k1_xmm_xmmm128b32,
        Opcode::EVEX_Vptestmd_kr_k1_ymm_ymmm256b32,
        Opcode::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vptestmq_kr_k1_xmm_xmmm128b64,
        Opcode::EVEX_Vptestmq_kr_k1_ymm_ymmm256b64,
        Opcode::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
    ],
];

/// Absolute values of integers.
pub(super) const INT_ABS: Family = [
    [
        Opcode::EVEX_Vpabsd_xmm_k1z_xmmm128b32,
        Opcode::EVEX_Vpabsd_ymm_k1z_ymmm256b32,
        Opcode::EVEX_Vpabsd_zmm_k1z_zmmm512b32,
    ],
    [
        Opcode::EVEX_Vpabsq_xmm_k1z_xmmm128b64,
        Opcode::EVEX_Vpabsq_ymm_k1z_ymmm256b64,
        Opcode::EVEX_Vpabsq_zmm_k1z_zmmm512b64,
    ],
];

/// From `f64` to `f32`.
pub(super) const F64_TO_F32: Widths = [
    Opcode::EVEX_Vcvtpd2ps_xmm_k1z_xmmm128b64,
    Opcode::EVEX_Vcvtpd2ps_xmm_k1z_ymmm256b64,
    Opcode::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
];

/// From `f32` to `f64`.
pub(super) const F32_TO_F64: Widths = [
    Opcode::EVEX_Vcvtps2pd_xmm_k1z_xmmm64b32,
    Opcode::EVEX_Vcvtps2pd_ymm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae,
];

/// From `f64` to `i32`, towards zero.
pub(super) const F64_TO_I32: Widths = [
    Opcode::EVEX_Vcvttpd2dq_xmm_k1z_xmmm128b64,
    Opcode::EVEX_Vcvttpd2dq_xmm_k1z_ymmm256b64,
    Opcode::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae,
];

/// From `f32` to `i32`, towards zero.
pub(super) const F32_TO_I32: Widths = [
    Opcode::EVEX_Vcvttps2dq_xmm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvttps2dq_ymm_k1z_ymmm256b32,
    Opcode::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
];

/// From `f64` to `i64`, towards zero.
pub(super) const F64_TO_I64: Widths = [
    Opcode::EVEX_Vcvttpd2qq_xmm_k1z_xmmm128b64,
    Opcode::EVEX_Vcvttpd2qq_ymm_k1z_ymmm256b64,
    Opcode::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae,
];

/// From `f32` to `i64`, towards zero.
pub(super) const F32_TO_I64: Widths = [
    Opcode::EVEX_Vcvttps2qq_xmm_k1z_xmmm64b32,
    Opcode::EVEX_Vcvttps2qq_ymm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvttps2qq_zmm_k1z_ymmm256b32_sae,
];

/// From `i32` to `f64`.
pub(super) const I32_TO_F64: Widths = [
    Opcode::EVEX_Vcvtdq2pd_xmm_k1z_xmmm64b32,
    Opcode::EVEX_Vcvtdq2pd_ymm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
];

/// From `i32` to `f32`.
pub(super) const I32_TO_F32: Widths = [
    Opcode::EVEX_Vcvtdq2ps_xmm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvtdq2ps_ymm_k1z_ymmm256b32,
    Opcode::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
];

/// From `u32` to `f64`.
pub(super) const U32_TO_F64: Widths = [
    Opcode::EVEX_Vcvtudq2pd_xmm_k1z_xmmm64b32,
    Opcode::EVEX_Vcvtudq2pd_ymm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er,
];

/// From `u32` to `f32`.
pub(super) const U32_TO_F32: Widths = [
    Opcode::EVEX_Vcvtudq2ps_xmm_k1z_xmmm128b32,
    Opcode::EVEX_Vcvtudq2ps_ymm_k1z_ymmm256b32,
    Opcode::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er,
];

/// From `i64` to `f64`.
pub(super) const I64_TO_F64: Widths = [
    Opcode::EVEX_Vcvtqq2pd_xmm_k1z_xmmm128b64,
    Opcode::EVEX_Vcvtqq2pd_ymm_k1z_ymmm256b64,
    Opcode::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er,
];

/// From `i64` to `f32`.
pub(super) const I64_TO_F32: Widths = [
    Opcode::EVEX_Vcvtqq2ps_xmm_k1z_xmmm128b64,
    Opcode::EVEX_Vcvtqq2ps_xmm_k1z_ymmm256b64,
    Opcode::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er,
];

/// From `i32` to `i64`.
pub(super) const I32_TO_I64: Widths = [
    Opcode::EVEX_Vpmovsxdq_xmm_k1z_xmmm64,
    Opcode::EVEX_Vpmovsxdq_ymm_k1z_xmmm128,
    Opcode::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
];

/// From `u32` to `i64`.
pub(super) const U32_TO_I64: Widths = [
    Opcode::EVEX_Vpmovzxdq_xmm_k1z_xmmm64,
    Opcode::EVEX_Vpmovzxdq_ymm_k1z_xmmm128,
    Opcode::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
];

/// The lower halves of 64-bit integers.
pub(super) const I64_TO_I32: Widths = [
    Opcode::EVEX_Vpmovqd_xmmm64_k1z_xmm,
    Opcode::EVEX_Vpmovqd_xmmm128_k1z_ymm,
    Opcode::EVEX_Vpmovqd_ymmm256_k1z_zmm,
];

/// One 32-bit element for all lanes.
pub(super) const FILL_32: Widths = [
    Opcode::EVEX_Vbroadcastss_xmm_k1z_xmmm32,
    Opcode::EVEX_Vbroadcastss_ymm_k1z_xmmm32,
    Opcode::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
];

/// One 64-bit element for all lanes.
pub(super) const FILL_64: Widths = [
    Opcode::EVEX_Vpbroadcastq_xmm_k1z_xmmm64,
    Opcode::EVEX_Vpbroadcastq_ymm_k1z_xmmm64,
    Opcode::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
];

/// Elements from memory.
pub(super) const READ: Widths = [
    Opcode::EVEX_Vmovups_xmm_k1z_xmmm128,
    Opcode::EVEX_Vmovups_ymm_k1z_ymmm256,
    Opcode::EVEX_Vmovups_zmm_k1z_zmmm512,
];

/// Elements to memory.
pub(super) const WRITE: Widths = [
    Opcode::EVEX_Vmovups_xmmm128_k1z_xmm,
    Opcode::EVEX_Vmovups_ymmm256_k1z_ymm,
    Opcode::EVEX_Vmovups_zmmm512_k1z_zmm,
];
