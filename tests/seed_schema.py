"""The answer schema of the first seed, verbatim: what a real project asks its agents for."""

# ruff: noqa: UP006, UP035, UP045 - the spelling of the seed is kept

from typing import List, Optional

from pydantic import BaseModel, Field


class FalseNegativeCheckResponse(BaseModel):
    """偽陰性チェックのエージェント出力"""

    is_false_negative: bool = Field(description="偽陰性かどうか（本当はPASSすべきか）")
    confidence: float = Field(description="判定の確信度 0.0-1.0", ge=0.0, le=1.0)
    evidence: List[str] = Field(description="判定の根拠となる証拠リスト")
    expected_result_analysis: str = Field(description="期待結果と実際の結果の比較分析")
    step_execution_analysis: str = Field(description="ステップ実行状況の分析")
    screenshot_analysis: Optional[str] = Field(default=None, description="スクリーンショット分析結果")
    misclassification_cause: Optional[str] = Field(
        default=None, description="誤分類の原因: smartestiroid_bug, spec_issue, app_behavior, temporary_error"
    )
    cause_details: Optional[str] = Field(default=None, description="原因の詳細説明")
    recommendations: List[str] = Field(description="対処の推奨事項")
